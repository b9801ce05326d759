// SPDX-License-Identifier: Apache-2.0
// Values of a type where there is nothing to compute: holes, and what we cannot do yet.
#pragma once

#include <string>

#include "frontend/futhark/elaborate/types/types.h"

namespace skald::futhark::elab {

// Reports that we cannot do this, and gives a value to go on with.
ValuePtr limitation(Code& code, Types& types, const std::string& what, const Use& use);
// ???: fails when the program gets there.
ValuePtr hole_value(Code& code, Types& types, const Type* type, const Env& env, Span span);

}  // namespace skald::futhark::elab
