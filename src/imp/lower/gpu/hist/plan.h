// SPDX-License-Identifier: Apache-2.0
// The model of histograms on devices: which way, how many groups, how many copies of the bins.
//
// A way is taken if it fits and takes less time than the ones after it, by machine/hist_model.h.
// Inputs are the number of points N and of bins H, the bytes of a bin, and what the device says of
// itself; all of it is computed by the host when the program runs.
//
// Parameters: those of machine/hist_costs.h, known to the compiler; and tunables of imp.
// local_memory, compute_units, group_threads cut what the device has; hist_copies sets the number
// of copies in the memory of a group, hist_sorted_points for how many points sorting begins to pay.
#pragma once

#include "imp/lower/gpu/hist/own_bins.h"
#include "imp/lower/gpu/seen_keys.h"
#include "machine/hist_model.h"

namespace skald::imp {

// Threads of a group with bins of its own: it has a whole multiprocessor, or half of one.
inline constexpr int64_t kBinThreads = 1024;
// Registers are left for so many of them on a multiprocessor, which hide each other's waits.
inline constexpr int64_t kBinGroupsAtOnce = 2;
// Ranges fill the memory of a multiprocessor, so their groups may have all of its registers:
// compilers that are not told so leave room for twice the threads.
inline constexpr int64_t kRangeGroupsAtOnce = 1;

// What the device has.
struct DeviceLimits {
  Operand memory;      // bytes that a group may have
  Operand units;       // groups of that size that run at once
  Operand threads;     // that a group may have
  Operand float_sums;  // 1 if its memory adds floats by an instruction
};
DeviceLimits device_limits(Code& code);

// What an update of a histogram is.
struct UpdateClass {
  machine::DeviceUpdate own;     // in the memory of a group
  machine::MemoryUpdate memory;  // in that of the device, if it has no instruction for floats
  bool float_sum;                // it may have one
  bool row_sum;                  // it may have one for four neighbours
};
UpdateClass update_class(const OwnBins& bins);

// What is known of all histograms of a kernel.
struct HistsOfKernel {
  const machine::HistNumbers& numbers;  // hist.way and the constants of the model
  std::vector<UpdateClass> updates;
  Operand points, bins;  // bins of all
  SeenKeys keys;
  int64_t frequent_bytes = 0;  // of a group, for bins that come often (frequent_bins.h)
  int64_t look_bytes = 0;      // of a bin, if points may look at bins in the device's memory first
  bool counts_again = false;   // are values computed again when sorted points are counted?
  int64_t input_bytes = 0;     // what a point reads of its own (input_bytes below)
  // Points lie in so many rows, each of which has bins of its own.  Then `bins` are those of a row.
  Operand rows = const_i64(1);
  // Are they added to rows of the destination (row_sums.cpp)?
  Operand in_rows = core::const_bool(false);
};

// Of the elements of arrays that a point of a kernel reads, and others do not.
int64_t input_bytes(const KernelWriter& kernel);
// How many bytes a way may take beside the destination: 64 MiB, or the input twice.
Operand most_extra_bytes(Code& code, const HistsOfKernel& hists);

// Is it known that no bin comes often?
Operand no_frequent_bins(Code& code, const HistsOfKernel& hists);

// Bins in the memory of groups.
struct GroupBinsPlan {
  Operand pays;    // do they fit, and are there enough points for them?
  Operand groups;  // of a row
  Operand copies;  // of the bins of a group; a power of two
  Operand left;    // bytes of a group that copies leave
  Operand even;    // a bool: no bin comes often
};
// `bytes` are those of one copy of all bins.
GroupBinsPlan plan_group_bins(Code& code, const DeviceLimits& limits, const HistsOfKernel& hists,
                              const Operand& bytes);

// Bins in ranges that fit the memory of a group; groups look at the points of all ranges.
struct RangeBinsPlan {
  Operand pays;
  Operand width, ranges;  // bins of a range
  Operand groups_of_range;
};
// Of one histogram, with so many bytes for each bin.
RangeBinsPlan plan_range_bins(Code& code, const DeviceLimits& limits, const HistsOfKernel& hist,
                              int64_t bytes);

// Bins in the device's memory that points look at first; all of them take so many bytes.
struct LookedBinsPlan {
  Operand pays, groups, bytes;
};
LookedBinsPlan plan_looked_bins(Code& code, const DeviceLimits& limits, const HistsOfKernel& hists,
                                const Operand& bytes);

// Bins in ranges that fit the memory of a group (sorted_points.h).
inline constexpr int64_t kSortThreads = 512;
// Points of a thread, of a tile, and those that a thread of the second launch takes at once.
inline constexpr int64_t kSortPoints = 16, kSortTile = kSortThreads * kSortPoints, kSortUnit = 8;

// A range is whole rows of bins; a thread looks at one range.
inline constexpr int64_t kBinRow = 1024, kMostRanges = 256;
// Of a sorted point, for its bin; and of the part that a range has of a tile.
inline constexpr int64_t kSortedBinBytes = 2, kSortedPartBytes = 4;

struct SortedBinsPlan {
  Operand pays;
  Operand width;  // bins of a range
  Operand ranges;
  Operand replicas;                   // counters of a range, for neighbouring threads
  Operand all_tiles;                  // points are sorted and counted in rounds …
  Operand rounds, tiles;              // … of so many tiles, as there is memory for
  Operand room;                       // for the points of a tile, in points
  Operand units, quota;               // groups that run at once; points that are worth one
  Operand sort_memory, count_memory;  // bytes of a group
};
// What is sorted and counted.
struct SortedHists {
  HistsOfKernel all;    // they have the same bins
  int64_t bin_bytes;    // of all histograms
  int64_t value_bytes;  // that are sorted with each point
  int64_t table_bytes;  // of a bin in the tables of groups
  bool float_sums;      // are they sums of floats, perhaps beside atomic instructions?
};
SortedBinsPlan plan_sorted_bins(Code& code, const DeviceLimits& limits, const SortedHists& hists);

}  // namespace skald::imp
