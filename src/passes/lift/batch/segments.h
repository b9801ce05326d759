// SPDX-License-Identifier: Apache-2.0
// Arrays whose size differs from instance to instance, as parts of one common array.
#pragma once

#include "passes/lift/batch/lifting.h"

namespace skald::passes::lift {

// An irregular value in the form that crosses branches, loops and calls.
struct Canonical {
  core::Operand total;
  core::Name starts, data;
};

// As it is, or a view of another array, or a copy.
Canonical canonical(Lifting& lifting, Batch& b, core::Name array, Form form);
// A new array with all segments one after another.
Canonical densify(Lifting& lifting, Batch& b, core::Name array, Form form);
// Elements that lie one after another do so under any shape.  False if the statement is no such
// reshape.
bool reshape_segments(const Lifting& lifting, Batch& b, const core::Stmt& stmt);

}  // namespace skald::passes::lift
