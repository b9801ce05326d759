// SPDX-License-Identifier: Apache-2.0
// Sizes of patterns and type expressions.
#pragma once

#include <unordered_map>
#include <vector>

#include "frontend/futhark/check/sizes/solve/size_step.h"

namespace skald::futhark {

class ExpSizes;

class PatternSizes {
 public:
  PatternSizes(SizeStep& s, ExpSizes& exps)
      : d_(s.d),
        f_(s.d.ctx.f),
        uni_(s.d.uni),
        report_(s.d.report),
        table_(s.table),
        words_(s.words),
        unifier_(s.unifier),
        fresh_(s.fresh),
        exps_(exps) {}

  using SizeBinders = std::unordered_map<uint32_t, const Exp*>;  // let-bound size → flexible one
  // `value` is where the value of the expected type is written.
  const Type* pattern(Pat& p, const Type* expected, const SizeBinders& sizes, Span value = {});
  void bind_pattern(Pat& p);
  void let_pattern(Pat& p, const Type* t, std::vector<Ident>& sizes, Span value);
  // The type a type expression stands for; anonymous sizes are left to be found.
  const Type* type_exp(const TypeExp& te, std::vector<VName>* exts = nullptr);
  static IdSet pattern_ids(const Pat& p);

 private:
  DefState& d_;
  TypeFactory& f_;
  Unifier& uni_;
  Reporter& report_;
  SizeTable& table_;
  SizeWords& words_;
  SizeUnifier& unifier_;
  FreshSizes& fresh_;
  ExpSizes& exps_;
};

}  // namespace skald::futhark
