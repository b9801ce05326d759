// SPDX-License-Identifier: Apache-2.0
// The end of the unsized step: what is still open becomes a type parameter, a default or an error.
#pragma once

#include "frontend/futhark/check/infer/def_state.h"

namespace skald::futhark {

// Returns the type parameters that were found; none if `allow_params` is false.
std::vector<TParam> generalise_unsized(DefState& d, const Type* type, bool allow_params);
// Type parameters are instantiated with types as lifted as they allow.
void check_instantiations(DefState& d);

}  // namespace skald::futhark
