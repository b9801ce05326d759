// SPDX-License-Identifier: Apache-2.0
// Sizes of expressions.
//
// Gives every expression its sized type; what it is made of is left to the parts.
#pragma once

#include <vector>

#include "frontend/futhark/check/sizes/walk/binding_sizes.h"
#include "frontend/futhark/check/sizes/walk/call_sizes.h"
#include "frontend/futhark/check/sizes/walk/index_sizes.h"
#include "frontend/futhark/check/sizes/walk/loop_sizes.h"
#include "frontend/futhark/check/sizes/walk/pattern_sizes.h"

namespace skald::futhark {

class ExpSizes {
 public:
  explicit ExpSizes(SizeStep& s);

  const Type* exp(Exp& e);
  SizedFunction function(const FunParts& parts, ValEntry* self, std::vector<TParam> tparams);

 private:
  const Type* node(Exp& e, const Type* unsized);
  const Type* record(ERecord& x, const Type* unsized);
  const Type* ascription(EAscript& x, Span span);
  const Type* coercion(ECoerce& x, Span span);
  const Type* array_lit(EArray& e, const Type* unsized, Span span);
  const Type* range(ERange& e, Span span, std::vector<VName>& ext);
  const Type* match(EMatch& e, std::vector<VName>& ext);
  const Type* constr(EConstr& e, const Type* unsized, Span span);

  DefState& d_;
  Context& ctx_;
  TypeFactory& f_;
  Unifier& uni_;
  Reporter& report_;
  SizeTable& table_;
  SizeWords& words_;
  SizeUnifier& unifier_;
  FreshSizes& fresh_;
  SizeScope& scope_;
  PatternSizes patterns_;
  CallSizes calls_;
  IndexSizes indices_;
  BindingSizes bindings_;
  LoopSizes loops_;
};

}  // namespace skald::futhark
