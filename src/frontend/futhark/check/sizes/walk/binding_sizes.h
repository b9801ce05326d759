// SPDX-License-Identifier: Apache-2.0
// Sizes of let and functions.
#pragma once

#include <string>
#include <vector>

#include "frontend/futhark/check/sizes/walk/pattern_sizes.h"

namespace skald::futhark {

struct SizedFunction {
  std::vector<TParam> params;  // of the scheme
  const Type* type = nullptr;
  const Type* result = nullptr;
  std::vector<VName> exts;  // of the result
};

class BindingSizes {
 public:
  BindingSizes(SizeStep& s, ExpSizes& exps, PatternSizes& patterns)
      : d_(s.d),
        f_(s.d.ctx.f),
        report_(s.d.report),
        table_(s.table),
        words_(s.words),
        unifier_(s.unifier),
        fresh_(s.fresh),
        scope_(s.scope),
        exps_(exps),
        patterns_(patterns) {}

  const Type* let(ELet& e, Span span, std::vector<VName>& ext);
  const Type* let_fun(ELetFun& e, Span span, std::vector<VName>& ext);
  const Type* lambda(ELambda& e, Span span);
  // `self` is what the body knows of the function that it belongs to.
  SizedFunction binding(const FunParts& parts, ValEntry* self, std::vector<TParam> tparams);

 private:
  const Type* fun_type(const std::vector<Ptr<Pat>>& params, const Type* result,
                       std::vector<VName> exts);
  const Type* fun_body(const FunParts& parts, const Type* declared);
  const Type* rename_binders(const Type* t);
  void generalise(const FunParts& parts, SizedFunction& def, const Type* result);
  void assume_type(const FunParts& parts, SizedFunction& def, const Type* declared,
                   const Type* body);
  void verify_params(const std::string& name, const std::vector<Ptr<Pat>>& params);

  DefState& d_;
  TypeFactory& f_;
  Reporter& report_;
  SizeTable& table_;
  SizeWords& words_;
  SizeUnifier& unifier_;
  FreshSizes& fresh_;
  SizeScope& scope_;
  ExpSizes& exps_;
  PatternSizes& patterns_;
};

}  // namespace skald::futhark
