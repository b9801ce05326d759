// SPDX-License-Identifier: Apache-2.0
// Reductions inside a thunk: sums over the rows of an irregular matrix, and the like.
//
//   flat(n), \{i} -> let o = offsets[i] … loop {acc = 0} for j < length do acc + xs[o + j]
//
// Where neighbouring rounds of the inner loop read neighbouring elements and neighbouring points do
// not, the points run one by one and the loop in vector lanes, as in cpu/reduce/along.cpp.  The
// loop must come from a reduction by a commutative operator (the hint says so), because the
// association changes.  Points that make rows of their own lengths could not be lanes, so there
// other loops may stand beside the reduction.
//
//   lanes 0 … 15 of 16 rounds at a time ─► halves added to each other: 8, 4, 2, 1
//
// Of few rounds that do nothing but add elements, the first four are done together, those that
// there are not masked: whether a row has none, one or two elements is what no processor can
// foresee.
//
// Loops that also read from scattered places keep four accumulators in variables instead.  Long
// loops are cut into chunks for all threads.
#pragma once

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

// Why the lanes should be points, not rounds of the thunk's loops.
WhyNot why_no_inner_lanes(KernelWriter& kernel);

// A loop that reduces, in vector lanes.  False (and no code) if it is none.
bool write_inner_reduction(FunctionLowering& fn, Code& code, const core::Stmt& stmt);

}  // namespace skald::imp
