// SPDX-License-Identifier: Apache-2.0
// Rules that do not influence inference, checked when all types are known: exhaustive matches,
// literals in range, where functions and lifted types may not be, equality, recursion.
#pragma once

#include "frontend/futhark/check/base/context.h"
#include "frontend/futhark/check/infer/def_state.h"

namespace skald::futhark {

// Neither a function nor something that might hold one.
bool is_first_order(const Type* t);
void check_locally(DefState& d, const std::vector<Ptr<Pat>>& params, Exp& body);
void check_recursion(DefState& d, const FunParts& parts, const Type* result);

}  // namespace skald::futhark
