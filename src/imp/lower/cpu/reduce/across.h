// SPDX-License-Identifier: Apache-2.0
// Reductions whose lanes are neighbouring segments, each reduced in order.  For kernels that read
// neighbouring elements when the segment changes, not when the point in it changes: column sums,
// matrix products.  Also for operators that are not commutative, if all segments read the same
// points: the nearest one for each of many places.
#pragma once

#include "imp/lower/cpu/loops/lanes.h"

namespace skald::imp {

void reduce_across(KernelWriter& kernel, Code& code);
// The same for segments of less than kWorthLanes points.
void reduce_short_across(KernelWriter& kernel, Code& code);  // tabled.cpp

// Lanes of a block that fit into registers.
int64_t across_width(const KernelFacts& facts);
// All points of one block of so many columns.
void reduce_column_block(KernelWriter& kernel, Code& code, const ColumnBlock& block, int64_t width);

}  // namespace skald::imp
