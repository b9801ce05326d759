// SPDX-License-Identifier: Apache-2.0
// Which way a histogram is made: by the numbers of elements and bins, the bytes
// of a bin, how it is updated, and what the device has.
#pragma once

#include "sorted_bins.cuh"

namespace skald {

enum class HistWay { kAutomatic, kGroupBins, kSortedBins, kInMemory, kChains, kLocks };

struct HistPolicy {
  HistWay way = HistWay::kAutomatic;
  int copies = 0;  // of the bins in shared memory, a power of two; 0: as many as
                   // fit, at most 32
};

struct HistShape {
  int64_t n, bins;
  int bytes;  // of a bin
  BinUpdate update;
  bool counts;  // are all values one?
};

struct HistPlan {
  HistWay way = HistWay::kInMemory;
  int units = 1;                            // multiprocessors
  int blocks = 1, copies = 1;               // of kGroupBins and kChains
  int bins_of_pass = 0;                     // of kChains
  int64_t shared = 0;                       // bytes for a block
  int shift = 0, ranges = 1, replicas = 1;  // of kSortedBins
};

namespace hist_detail {

constexpr int64_t kReserved = 2 << 10;  // of shared memory, for what is not bins
constexpr int64_t kMostBins = int64_t{1} << 31;
constexpr int64_t kPointsOfBin = 2;  // that a block must have for each bin
constexpr int64_t kWorthSorting = 1 << 20;
constexpr int64_t kMostPasses = 8;  // of kChains
constexpr u32 kLocks = 1u << 20;

inline int word_bytes(int bytes) {
  return bytes <= 4 ? 4 : 8;
}

inline bool plan_group_bins(const HistPolicy& policy, const HistShape& shape, int64_t memory,
                            HistPlan& plan) {
  const int64_t one = shape.bins * word_bytes(shape.bytes);
  const int64_t half = memory / 2 - kReserved;
  if (one > memory - kReserved) return false;
  const int per_unit = one <= half ? 2 : 1;
  const int64_t room = per_unit == 2 ? half : memory - kReserved;
  const int64_t by_points = shape.n / (kPointsOfBin * (shape.bins > 4096 ? shape.bins : 4096)) + 1;
  plan.blocks =
      static_cast<int>(by_points < plan.units * per_unit ? by_points : plan.units * per_unit);
  plan.copies = 1;
  while (plan.copies < 32 && one * plan.copies * 2 <= room &&
         (policy.copies == 0 || plan.copies < policy.copies))
    plan.copies *= 2;
  plan.shared = one * plan.copies;
  plan.way = HistWay::kGroupBins;
  return true;
}

inline bool plan_sorted_bins(const HistShape& shape, int64_t memory, HistPlan& plan) {
  const int64_t frequent = shape.update == BinUpdate::kSwap ? kPlaceBytes : 0;
  plan.shift = 15;
  while (plan.shift > 8 &&
         ((int64_t{1} << plan.shift) + 4) * word_bytes(shape.bytes) + frequent > memory - kReserved)
    --plan.shift;
  const int64_t ranges = (shape.bins + (int64_t{1} << plan.shift) - 1) >> plan.shift;
  if (ranges > kMostRanges) return false;
  plan.ranges = static_cast<int>(ranges);
  plan.replicas = 1;
  while (plan.replicas < 4 && plan.ranges * plan.replicas * 2 <= 192) plan.replicas *= 2;
  plan.way = HistWay::kSortedBins;
  return true;
}

inline bool plan_chains(const HistShape& shape, int64_t memory, HistPlan& plan) {
  // Threads have places in the chains.
  const int64_t slot = shape.bytes + 4;
  const int64_t room = memory - kReserved - kThreads * slot;
  const int64_t fits = room / slot / 8 * 8;
  const bool all = shape.bins <= fits;
  plan.bins_of_pass = static_cast<int>(all ? (shape.bins + 7) / 8 * 8 : fits);
  const int64_t half = memory / 2 - kReserved - kThreads * slot;
  const bool two = plan.bins_of_pass * slot <= half;
  plan.copies = 1;
  while (all && plan.copies < 32 &&
         plan.bins_of_pass * slot * plan.copies * 2 <= (two ? half : room))
    plan.copies *= 2;
  plan.shared = (int64_t{plan.bins_of_pass} * plan.copies + kThreads) * slot;
  const int64_t by_points = shape.n / 4096 + 1;
  const int64_t at_once = int64_t{plan.units} * (two ? 2 : 1);
  plan.blocks = static_cast<int>(by_points < at_once ? by_points : at_once);
  plan.way = HistWay::kChains;
  return fits > 0 && shape.bins <= fits * kMostPasses;
}

}  // namespace hist_detail

// A way that the policy names is taken if it fits; otherwise the call fails.
inline cudaError_t plan_hist(const HistPolicy& policy, const HistShape& shape, HistPlan& plan) {
  using namespace hist_detail;
  int device = 0, memory = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&plan.units, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (error != cudaSuccess) return error;
  const HistWay wanted = policy.way;
  const bool any = wanted == HistWay::kAutomatic;
  const auto may = [&](HistWay way) { return any || wanted == way; };
  if (shape.update == BinUpdate::kLock) {
    if (may(HistWay::kChains) && plan_chains(shape, memory, plan)) return cudaSuccess;
    plan.way = HistWay::kLocks;
    return may(HistWay::kLocks) ? cudaSuccess : cudaErrorInvalidValue;
  }
  const bool worth_groups = !any || shape.n >= kPointsOfBin * shape.bins;
  if (may(HistWay::kGroupBins) && worth_groups && plan_group_bins(policy, shape, memory, plan))
    return cudaSuccess;
  const bool worth_sorting =
      !any || (shape.n >= kWorthSorting && shape.n >= kPointsOfBin * shape.bins);
  if (may(HistWay::kSortedBins) && worth_sorting && plan_sorted_bins(shape, memory, plan))
    return cudaSuccess;
  plan.way = HistWay::kInMemory;
  return may(HistWay::kInMemory) ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace skald
