// SPDX-License-Identifier: Apache-2.0
// When calls of a recursive function are left to one thread each.
#pragma once

#include "passes/lift/batch/lifting.h"

namespace skald::passes::lift {

// Is a thread per instance the better choice?  If the arrays are short, or if there is little to do
// at all; without arrays, if there are enough instances.
core::Operand cut_over(Lifting& lifting, Batch& b, const core::Function& fn);
// A call from the host on at most so many elements is left to one thread, if the function's calls
// stay calls of the host.
core::Operand fork_threshold(core::Builder& out, const core::Function& fn);

}  // namespace skald::passes::lift
