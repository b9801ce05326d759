// SPDX-License-Identifier: Apache-2.0
// Patterns: binding their names, testing whether a value matches.
#pragma once

#include <string>

#include "frontend/futhark/elaborate/types/types.h"

namespace skald::futhark::elab {

// The environment with the names of the pattern, and the sizes in its type, bound.
Env bind_pattern(Types& types, const Pat& pat, const ValuePtr& v, Env env);
// True where the value matches.
Operand test_pattern(Code& code, const Pat& pat, const ValuePtr& v);
// The name that a pattern binds, if it is one; and what its parts are called after.
std::string pattern_name(const Pat& pat);
std::string pattern_base(const Pat& pat);

}  // namespace skald::futhark::elab
