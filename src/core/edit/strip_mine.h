// SPDX-License-Identifier: Apache-2.0
// One counted loop → loops in loops that do the same rounds in the same order.
//
//   loop x = a for i < n do f i x
//
//   loop y = a for j < c₀ do
//     loop x = y for k < min(c₁, n - j c₁) do f (j c₁ + k) x
//
// Reverse mode stores what a loop starts each round with.  Loops in loops store c₀ + c₁ + … of them
// instead of n, and run the body once more for each level.
#pragma once

#include <vector>

#include "core/edit/builder.h"

namespace skald::core {

// Can it be taken apart?  Not if sizes change from round to round.
bool is_regular(const Loop& loop);

// `counts`: how many rounds each level has at most, outermost first; their product is at least the
// number of rounds.  Code that the outermost loop needs goes to `out`.
Loop strip_mined(Builder& out, Loop loop, const std::vector<Operand>& counts);

// Counts for `levels` levels of equal length.
std::vector<Operand> equal_counts(Builder& out, const Loop& loop, int levels);

// The number of rounds, as an i64 that is not negative.
Operand rounds_of(Builder& out, const Loop& loop);

}  // namespace skald::core
