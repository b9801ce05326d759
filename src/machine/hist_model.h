// SPDX-License-Identifier: Apache-2.0
// The model of histograms: how long each way takes, from the numbers of points, bins and threads
// and the constants of hist_costs.h.
//
// It is written once, for any arithmetic `A`: lowering computes with code that runs on the host
// (imp/lower/kernel/hist_arithmetic.h), calibration with sums whose constants are not known yet
// (compile/machine/hist_forms.h).  So times are sums of constants times numbers, and nothing else:
//
//   Number, Time                   what counts, and what it takes
//   number(int64_t)                a known number
//   add, mul, quotient, least, most: Number × Number → Number
//   time(HistCost, Number)         so many times a constant
//   plus: Time × Time;  by, over: Time × Number → Time   sums, products and quotients
#pragma once

#include "machine/caches.h"
#include "machine/hist_costs.h"

namespace skald::machine {

// Bins whose addresses are at hand: the usual number of entries for pages of 4 KiB.
inline constexpr int64_t kPagesAtHand = 4 << 20;

// ---- processors

enum class CpuUpdate : uint8_t { kCombines, kChooses };

template <class A>
struct CpuHist {
  using Number = typename A::Number;
  using Time = typename A::Time;

  A& a;
  Caches caches;
  CpuUpdate update;
  int64_t arrays;      // components of all bins of a point
  int64_t updates;     // of a point
  int64_t part_bytes;  // of a range of bins that points are sorted by
  Number points, bins, bytes, threads;

  // ---- one point

  // An update of one of the bins that take `bytes`, if each is as likely as the others.
  Time update_of(const Number& bytes) const {
    Time all = a.plus(base(), beyond(HistCost::kBeyondL1, bytes, caches.l1d.bytes));
    return a.plus(all, far(bytes));
  }
  // If so many of 1024 updates find their bin in the second cache, wherever the others are.
  Time update_of_near(const Number& near, const Number& bytes) const {
    const Number others = a.most(a.add(a.number(kWhole), a.mul(near, a.number(-1))), a.number(0));
    const Time rest = a.over(a.by(far(bytes), others), a.number(kWhole));
    const Time first = beyond(HistCost::kBeyondL1, bytes, caches.l1d.bytes);
    return a.plus(a.plus(base(), first), rest);
  }

  // ---- ways; `each` is an update

  Time by_one_thread(const Time& each) const { return a.by(each, points); }
  // So many copies, made and combined by all threads.
  Time copying(const Number& copies) const {
    const Number elements = a.mul(a.mul(copies, bins), a.number(arrays));
    return a.over(a.time(HistCost::kCopy, elements), a.most(threads, a.number(1)));
  }
  // So many chunks of points, each with so many copies.
  Time by_copies(const Time& each, const Number& chunks, int64_t copies = 1) const {
    const Number busy = a.most(a.least(chunks, threads), a.number(1));
    return a.plus(
        a.time(HistCost::kStart, a.number(1)),
        a.plus(a.over(a.by(each, points), busy), copying(a.mul(chunks, a.number(copies)))));
  }
  Time by_sorting() const {
    const Number part = a.most(a.number(part_bytes), a.quotient(bytes, a.number(kMostCpuParts)));
    const Time sorted = a.plus(a.time(HistCost::kSort, a.number(1)),
                               a.time(HistCost::kSortArray, a.number(arrays)));
    const Time each = a.plus(sorted, update_of(a.least(part, bytes)));
    // Bins are read and written once, those of whole lines that points go to.
    const Number lines = a.mul(points, a.number(kLineElements));
    const Number elements = a.mul(a.least(bins, lines), a.number(arrays));
    return a.plus(a.time(HistCost::kStart, a.number(2)),
                  a.over(a.plus(a.by(each, points), a.time(HistCost::kCopy, elements)),
                         a.most(threads, a.number(1))));
  }

  // Ranges of bins are at most so many.
  static constexpr int64_t kMostCpuParts = 256;
  static constexpr int64_t kWhole = 1024;
  static constexpr int64_t kLineElements = 16;

 private:
  Time base() const {
    return a.time(update == CpuUpdate::kChooses ? HistCost::kChoice : HistCost::kUpdate,
                  a.number(updates));
  }
  // What more than `room` bytes cost: of `bytes`, those beyond are not there.
  Time beyond(HistCost cost, const Number& bytes, int64_t room) const {
    const Number all = a.most(bytes, a.number(1));
    const Number over = a.most(a.add(bytes, a.number(-room)), a.number(0));
    const Number part = a.quotient(a.mul(over, a.number(kWhole * arrays)), all);
    return a.over(a.time(cost, part), a.number(kWhole));
  }
  Time far(const Number& bytes) const {
    Time all = beyond(HistCost::kBeyondL2, bytes, caches.l2.bytes);
    all = a.plus(all, beyond(HistCost::kBeyondPages, bytes, kPagesAtHand));
    const int64_t last = caches.l3.bytes > caches.l2.bytes ? caches.l3.bytes : caches.l2.bytes;
    return a.plus(all, beyond(HistCost::kBeyondL3, bytes, last));
  }
};

// ---- devices

// By what an update is (imp/lower/gpu/hist/operators.h).
enum class DeviceUpdate : uint8_t { kInstruction, kShort, kChoice, kSwap, kLock };

constexpr HistCost cost_by_class(HistCost first, DeviceUpdate update) {
  return static_cast<HistCost>(static_cast<uint8_t>(first) + static_cast<uint8_t>(update));
}
constexpr HistCost own_cost(DeviceUpdate update) {
  return cost_by_class(HistCost::kOwnInstruction, update);
}
constexpr HistCost range_cost(DeviceUpdate update) {
  return cost_by_class(HistCost::kRangeInstruction, update);
}
constexpr HistCost count_cost(DeviceUpdate update) {
  return cost_by_class(HistCost::kCountInstruction, update);
}
static_assert(own_cost(DeviceUpdate::kLock) == HistCost::kOwnLock &&
              range_cost(DeviceUpdate::kLock) == HistCost::kRangeLock &&
              count_cost(DeviceUpdate::kLock) == HistCost::kCountLock);

// How the memory of a device updates a bin.
enum class MemoryUpdate : uint8_t { kInstruction, kFloat, kSwap, kLock };
constexpr HistCost memory_cost(MemoryUpdate update) {
  return static_cast<HistCost>(static_cast<uint8_t>(HistCost::kMemoryInstruction) +
                               static_cast<uint8_t>(update));
}
static_assert(memory_cost(MemoryUpdate::kLock) == HistCost::kMemoryLock);

// Points of one histogram; where there are several, times are added.
template <class A>
struct DeviceHist {
  using Number = typename A::Number;
  using Time = typename A::Time;

  A& a;
  Number points, units;  // units: groups that run at once

  Time launches(int64_t count) const { return a.time(HistCost::kLaunch, a.number(count)); }
  // So many bins of groups are added to the destination.
  Time joining(const Number& bins) const { return a.time(HistCost::kJoin, bins); }
  // Counted by so many groups, each with all bins.
  Time in_groups(DeviceUpdate update, const Number& groups) const {
    const Number busy = a.most(a.least(groups, units), a.number(1));
    return a.time(own_cost(update), a.quotient(a.mul(points, units), busy));
  }
  // Looked at for each of so many ranges.
  Time in_ranges(DeviceUpdate update, const Number& ranges) const {
    return a.time(range_cost(update), a.mul(points, ranges));
  }
  // Sorted by ranges, in tiles of which every group has one at least …
  Time sorting(int64_t tile) const {
    return a.time(HistCost::kSortPoint, a.most(points, a.mul(units, a.number(tile))));
  }
  // … and counted.
  Time in_sorted(DeviceUpdate update) const { return a.time(count_cost(update), points); }
  Time in_memory(MemoryUpdate update) const { return a.time(memory_cost(update), points); }

  // Launches of the way that sorts, those that combine what groups have counted included.
  static constexpr int64_t kSortLaunches = 4;
};

}  // namespace skald::machine
