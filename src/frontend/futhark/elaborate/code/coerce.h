// SPDX-License-Identifier: Apache-2.0
// Values in the shape that somebody needs.
#pragma once

#include "frontend/futhark/elaborate/code/code.h"

namespace skald::futhark::elab {

// The value with the sizes of `target`.  Without a message nothing is checked.
ValuePtr coerce(Code& code, const ValuePtr& v, const RepPtr& target,
                const std::vector<MessagePart>& message);
// The array with this operand for its outermost size, and then its leaves.
ValuePtr with_width(Code& code, const ValuePtr& array, const Operand& width);
std::vector<Name> inputs_of(Code& code, const Value& array, const Operand& width);
// A value with unspecified contents.
ValuePtr blank(Code& code, const RepPtr& rep);

}  // namespace skald::futhark::elab
