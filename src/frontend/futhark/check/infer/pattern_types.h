// SPDX-License-Identifier: Apache-2.0
// Unsized inference of patterns.
#pragma once

#include "frontend/futhark/check/infer/type_exps.h"

namespace skald::futhark {

class PatternTypes {
 public:
  PatternTypes(DefState& d, LocalNames& locals, TypeExps& types)
      : f_(d.ctx.f), uni_(d.uni), report_(d.report), locals_(locals), types_(types) {}

  const Type* pattern(Pat& p);
  void bind_pattern(Pat& p);
  // `from` has the type `value`; null if no expression has it.
  void let_pattern(Pat& p, const Type* value, Span value_span, const Exp* from = nullptr);

 private:
  TypeFactory& f_;
  Unifier& uni_;
  Reporter& report_;
  LocalNames& locals_;
  TypeExps& types_;
};

}  // namespace skald::futhark
