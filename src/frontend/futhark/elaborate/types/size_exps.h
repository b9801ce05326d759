// SPDX-License-Identifier: Apache-2.0
// Sizes as written in types.
#pragma once

#include "frontend/futhark/elaborate/values/values.h"

namespace skald::futhark::elab {

// How deep types may be nested in each other's definitions.
inline constexpr int kMaxTypeDepth = 200;

// Without parentheses and ascriptions.
const Exp& strip(const Exp& e);
// The variable that a size is, if it is one.
const EVar* size_var(const Size& size);
// A size not evaluated yet.
ValuePtr size_thunk(const Exp* exp, const Env& env);
// The environment of a type's definition, with its parameters bound to the arguments of a use.
Env bind_type_args(const TypeBinding& binding, const Type& use, const Env& use_env);

}  // namespace skald::futhark::elab
