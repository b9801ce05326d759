// SPDX-License-Identifier: Apache-2.0
// Type expressions → types.  Abbreviations are expanded; sizes stay the expressions of the AST.
#pragma once

#include <string>
#include <unordered_map>

#include "frontend/futhark/check/infer/local_names.h"

namespace skald::futhark {

class Infer;

class TypeExps {
 public:
  // `infer` finds the types of size expressions.
  TypeExps(DefState& d, LocalNames& locals, Infer& infer)
      : d_(d),
        ctx_(d.ctx),
        f_(d.ctx.f),
        names_(d.names),
        uni_(d.uni),
        report_(d.report),
        locals_(locals),
        infer_(infer) {}

  // The result is kept for the size step.
  TypeExpResult type_exp(TypeExp& te);

 private:
  void check_duplicates_in_type(const TypeExp& te, std::unordered_map<std::string, Span>& seen);
  TypeExpResult eval_type(TypeExp& te);
  TypeExpResult eval_apply(TypeExp& te);
  TypeExpResult eval_record(TERecord& t, const TypeExp& te);
  TypeExpResult eval_array(TEArray& t, const TypeExp& te);
  TypeExpResult eval_arrow(TEArrow& t);
  TypeExpResult eval_exists(TEExists& t, const TypeExp& te);
  TypeExpResult eval_sum(TESum& t, const TypeExp& te);
  const Exp* eval_size(Exp* size, TypeExpResult& out);

  DefState& d_;
  Context& ctx_;
  TypeFactory& f_;
  Names& names_;
  Unifier& uni_;
  Reporter& report_;
  LocalNames& locals_;
  Infer& infer_;
};

}  // namespace skald::futhark
