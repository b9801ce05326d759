// SPDX-License-Identifier: Apache-2.0
// Maps whose points go through rows of their own, one element after another:
//
//   flat(n), \{i} -> loop … for j < m do … as[i, j] …        a recurrence along each row
//
// Lanes are neighbouring points.  Element j of their rows lies m elements apart, which vectors can
// only collect one by one.  So every point copies its rows to memory of its own first, works there,
// and copies the row that it makes to the result.  Memory of lanes is interleaved, hence these
// copies are transpositions, which go through registers (codegen/cpu/vector/memory.cpp):
//
//   rows in memory    a₀ a₁ a₂ …    b₀ b₁ b₂ …    c₀ c₁ c₂ …    d₀ d₁ d₂ …
//   kept by lanes     a₀ b₀ c₀ d₀   a₁ b₁ c₁ d₁   a₂ b₂ c₂ d₂ …
//
// It is done where vectors are then better than what the points would be otherwise, for rows that
// fit into a cache.
#pragma once

#include <utility>
#include <vector>

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

// Rows of its own that a point reads and makes in memory of its own.
struct RowsInScratch {
  std::vector<Name> read;  // the arrays they belong to
  // Value of the thunk and result of the kernel: rows made in the result, and rows that are copied
  // there.
  std::vector<std::pair<size_t, size_t>> made, given;
};
RowsInScratch find_rows_in_scratch(KernelWriter& kernel);
// `only_short` says that long rows are better reduced in lanes of their own.
WhyNot why_no_rows_in_scratch(KernelWriter& kernel, bool only_short);
// Are the rows short enough?  Found out when the program runs.
Operand fit_scratch(KernelWriter& kernel, Code& code, const RowsInScratch& rows, bool only_short);
// Points that copy their rows first and write back what they made.
PointSource points_in_scratch(KernelWriter& kernel, const RowsInScratch& rows);

}  // namespace skald::imp
