// SPDX-License-Identifier: Apache-2.0
// The model of histograms on devices: which way, how many groups, how many copies of the bins.
//
// Inputs are the number of points N and of bins H, the bytes of a bin, and what the device says of
// itself; all of it is computed by the host when the program runs.  docs/histograms.md has the
// measurements behind the constants.
//
// Parameters (tunables of imp): local_memory, compute_units, group_threads cut what the device has;
// hist_copies sets the number of copies in the memory of a group.
#pragma once

#include "imp/ir/code.h"

namespace skald::imp {

// Threads of a group with bins of its own: it has a whole multiprocessor, or half of one.
inline constexpr int64_t kBinThreads = 1024;

// What the device has.
struct DeviceLimits {
  Operand memory;   // bytes that a group may have
  Operand units;    // groups of that size that run at once
  Operand threads;  // that a group may have
};
DeviceLimits device_limits(Code& code);

// Bins in the memory of groups.
struct GroupBinsPlan {
  Operand pays;  // do they fit, and are there enough points for them?
  Operand groups;
  Operand copies;  // of the bins of a group; a power of two
};
// `bins` bins of `bytes` bytes together, for one copy.
GroupBinsPlan plan_group_bins(Code& code, const DeviceLimits& limits, const Operand& points,
                              const Operand& bins, const Operand& bytes);

}  // namespace skald::imp
