// SPDX-License-Identifier: Apache-2.0
// Reading at indices that may be out of bounds.
#pragma once

#include "passes/differentiate/base/session.h"

namespace skald::passes::ad {

// Are these indices inside of the shape?
Operand in_bounds(const std::vector<Operand>& indices, const std::vector<Operand>& shape,
                  Emit& out);
// array[indices], or zero where that is outside.  Arrays are new.
Operand gather(Name array, const std::vector<Operand>& indices, const std::vector<Operand>& shape,
               Emit& out);

}  // namespace skald::passes::ad
