// SPDX-License-Identifier: Apache-2.0
// Partition (and so filter), in one pass over memory.  A thread takes a chunk that fits into a
// cache and collects the members of each class in buffers; waits for the thread that has the chunk
// before to know where they belong; hands on where the next ones belong; and copies the buffers
// there.
//
// Members are computed and packed in vectors, and large filters by little code without the buffers
// (pack.cpp).  Where that cannot be, a scalar is stored at the next free place whether it is a
// member or not, and the place advances only for members: no branch depends on the data.
//
// Other partitions, reductions, outputs and scatters of the same points are done on the way: in
// vectors after the members are collected if the thunk is cheap, else with them.
//
// Rows that are arrays are collected in the chunk's own range of the results (which have room for
// all rows), and the ranges are moved together afterwards (rows.cpp).
#pragma once

#include <span>

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

// True if all members are scalars that lie densely, and all other sinks are reductions, outputs and
// scatters.
bool is_ordered_partition(const KernelWriter& kernel);
std::span<const Strategy> ordered_partition_strategies();
// Any other partition, alone in its kernel.
std::span<const Strategy> row_partition_strategies();

}  // namespace skald::imp
