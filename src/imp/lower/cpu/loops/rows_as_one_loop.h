// SPDX-License-Identifier: Apache-2.0
// Rows of a few elements, of a number that is known only when the program runs.
//
// If they follow one another in the results, some hundred points of whole rows are one vector loop.
// Elements at the point's own place are read and written in the order of the loop; whatever else
// needs to know the point finds its row and column by a product and a shift:
//
//   map over [n][m]      for each group of 1024 / m rows, from row r on:
//                          simd for (k < count) { i = k * (2¹⁶ / m + 1) >> 16; j = k - i * m;
//                                                 kernel.point(r + i, j) }
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

// Points of short rows that follow one another in memory, as one row.
struct RowsAsOneLoop {
  std::vector<size_t> reads;  // statements of the thunk that read the element at the point
  bool knows_point = false;   // does something else need to know where in which row it is?
};
// Adds what the strides need.
std::optional<RowsAsOneLoop> find_rows_as_one_loop(KernelWriter& kernel, Code& code);
WhyNot why_no_rows_as_one_loop(KernelWriter& kernel);

// For each group of whole rows with some hundred points: its first row, and how many points.
struct RowGroup {
  Operand first, count;
  Operand length;  // of a row
};
void for_each_row_group(KernelWriter& kernel, Code& code,
                        const std::function<void(Code&, const RowGroup&)>& group);
// All points of a group: their numbers in it, and the values of the thunk.
void points_of_group(
    KernelWriter& kernel, Code& code, const RowsAsOneLoop& rows, const RowGroup& group,
    const std::function<void(Code&, const Operand& k, const std::vector<Operand>& values)>& then);

}  // namespace skald::imp
