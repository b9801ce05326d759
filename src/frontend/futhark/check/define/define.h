// SPDX-License-Identifier: Apache-2.0
// Checking one value definition: the three steps in order.
#pragma once

#include "frontend/futhark/check/base/context.h"

namespace skald::futhark {

// Checks the definition and fills in its entry.  On a mistake the entry is marked as broken.
void check_definition(Context& ctx, DVal& def, ValEntry* entry, const ScopePtr& scope, Span span);

// If the annotations of the definition say its type completely, gives the entry that type without
// looking at the body.
bool declare_definition(Context& ctx, DVal& def, ValEntry* entry, const ScopePtr& scope, Span span);

// Evaluates a type expression outside of definitions, with the given parameters in scope.
struct CheckedType {
  std::vector<TParam> params;
  const Type* type = nullptr;
  std::vector<VName> anonymous, exts;
  Liftedness lifted = Liftedness::kUnlifted;
  bool ok = false;
};
CheckedType check_type(Context& ctx, TypeExp& te, std::vector<TypeParam>& params,
                       const ScopePtr& scope);

// Is a value of the provided scheme good where the specified one is expected?  If not, the reason.
std::string match_values(Context& ctx, const std::vector<TParam>& spec_params,
                         const Type* spec_type, const std::vector<TParam>& params, const Type* type,
                         const std::vector<VName>& flexible_sizes = {});

}  // namespace skald::futhark
