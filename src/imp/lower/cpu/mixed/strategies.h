// SPDX-License-Identifier: Apache-2.0
// Kernels whose sinks are of several kinds, as fusion makes them: a histogram beside a reduction, a
// partition beside a scan, a scatter after one.  One pass over fixed chunks does it all:
//
//   reductions   an accumulator for each chunk, combined in order at the end
//   scans        two passes; what comes after a scan is fed in the second one
//   partitions   the members of a chunk in its own range of the results, moved together at the end
//   histograms   small beside the input: a copy for each chunk; else atomic updates, if all
//                operators are exact; else one chunk
//
// Kernels with only one of these have skeletons of their own, which do better; so have histograms
// beside outputs and scatters.
#pragma once

#include <span>

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

bool is_mixed(const KernelWriter& kernel);
std::span<const Strategy> mixed_strategies();
// The ways to treat histograms among the sinks.
void add_mixed_names(std::vector<StrategyName>& names);

}  // namespace skald::imp
