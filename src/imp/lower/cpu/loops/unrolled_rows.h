// SPDX-License-Identifier: Apache-2.0
// Rows of a few elements, of a known number: a loop for each would hardly begin before it ends.  So
// their elements are written out one after another, and neighbouring rows are the lanes of vectors.
//
//   map over [n][3]         simd for (i < n) { point(i, 0); point(i, 1); point(i, 2) }
//   sums over [n][2][4]     simd for (i < n) { point(i, 0, 0) + … + point(i, 0, 3);
//                                              point(i, 1, 0) + … + point(i, 1, 3) }
//
// If the number is not known, the program asks whether it is one (or two or three, for reductions),
// and has code for that.  Other short rows: rows_as_one_loop.h.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

// The lengths of the last dimensions if they are so short; nothing otherwise.
std::vector<int64_t> unrolled_lengths(const KernelFacts& facts);
WhyNot why_no_unrolled_rows(KernelWriter& kernel);

// Calls `row` with the indices of each row in the lanes of a loop; the last dimensions, of these
// lengths, are left to it.
void in_lanes_by_rows(KernelWriter& kernel, Code& code, const std::vector<int64_t>& lengths,
                      const std::function<void(Code&, const std::vector<Operand>&)>& row);
// Calls `then` for each place in a box of these lengths, with the indices of it behind `indices`.
void for_each_place(std::vector<Operand> indices, std::span<const int64_t> lengths,
                    const std::function<void(const std::vector<Operand>&)>& then);
// Calls `segment` for each row of the last dimension in the lanes of a loop, with its outer
// indices, and `point` for all points of it.
void for_each_unrolled_segment(
    KernelWriter& kernel, Code& code,
    const std::function<void(Code&, const std::vector<Operand>& outer, int64_t length)>& segment);

// Rows of a length that is not known: code for those of 1 … most elements, which finds it known.
WhyNot why_no_rows_of_few(KernelWriter& kernel);
void if_rows_of(KernelWriter& kernel, Code& code, int64_t most,
                const std::function<void(KernelWriter&, Code&)>& then, const Otherwise& otherwise);

}  // namespace skald::imp
