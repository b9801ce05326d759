// SPDX-License-Identifier: Apache-2.0
// What code of a kernel can run in lanes.
#pragma once

#include "core/edit/free_names.h"
#include "core/ir/program.h"

namespace skald::imp {

// A branch between values that are there: `if c then {a, b} else {d, e}` of scalars.
bool only_chooses(const core::Stmt& stmt);

// No branches, loops, calls, checks or arrays of its own?
bool is_straight_line(const core::Body& body);

// Points that take different numbers of rounds would wait for each other in lanes.
bool has_loop(const core::Body& body);

// Counts loads and other statements; false if there are others than scalar code with branches that
// cannot fail.
bool count_scalar_code(const core::Body& body, size_t& loads, size_t& others);

// Functions and divisions.
bool is_slow_operation(const core::Stmt& stmt);
bool has_slow_operation(const core::Body& body);

// Can vector code run it?  Arrays may only be what a lane keeps for itself, of a known size.
bool fits_lanes(const core::Body& body);

// Nothing but scalars, and loops of which all points take the same number of rounds: their bounds
// are constants or `outside`.
bool fits_pieces_of_points(const core::Body& body, const core::NameSet& outside);

// Are all values scalars, and are there no loops and calls, and at most `budget` statements?
bool fits_pieces(const core::Body& body, int64_t& budget);

// \a b -> a op b, or the pairwise version of it for several values.
bool is_simple_commutative(const core::Operator& op);

}  // namespace skald::imp
