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
//
// No two arguments of a call make code: the order would depend on who compiles this.
#pragma once

#include "machine/caches.h"
#include "machine/hist_costs.h"

namespace skald::machine {

// Bins whose addresses are at hand: 2048 pages of 4 KiB, as processors of today have entries.
inline constexpr int64_t kPagesAtHand = 8 << 20;

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

  // An update of one of the bins that take `size` bytes, if each is as likely as the others.
  Time update_of(const Number& size) const {
    const Time near = first(size);
    const Time rest = far(size);
    return a.plus(near, rest);
  }
  // If so many of 1024 go to the same bin as the one before, and nothing else is known.
  Time update_of_runs(const Number& equal, const Number& size) const {
    const Time near = beyond(HistCost::kBeyondL1, size, caches.l1d.bytes);
    const Time farther = far(size);
    const Time missing = a.plus(near, farther);
    const Number singles = others(equal);
    const Time misses = part_of(missing, singles);
    return a.plus(base(), misses);
  }
  // What updates wait for the one before.
  Time waiting(const Number& equal) const {
    if (update == CpuUpdate::kChooses) return a.time(HistCost::kAgain, a.number(0));
    return part_of(a.time(HistCost::kAgain, a.number(1)), equal);
  }
  // If keys were looked at: of 1024 updates, so many find their bin in the second cache, and its
  // page at hand, and so many go to the same bin as the one before.
  Time update_of_seen(const Number& lines, const Number& pages, const Number& equal,
                      const Number& size) const {
    const Time farther = third(size);
    const Time far_line = a.plus(a.time(HistCost::kBeyondL2, a.number(arrays)), farther);
    const Number no_lines = others(lines);
    const Time line = part_of(far_line, no_lines);
    const Time page = part_of(a.time(HistCost::kBeyondPages, a.number(arrays)), others(pages));
    const Time again = waiting(equal);
    const Time near = a.plus(first(size), again);
    const Time more = a.plus(line, page);
    return a.plus(near, more);
  }

  // ---- ways; `each` is an update

  Time by_one_thread(const Time& each) const { return a.by(each, points); }
  // So many copies, made and combined by all threads.
  Time copying(const Number& copies) const {
    const Number elements = a.mul(a.mul(copies, bins), a.number(arrays));
    return by_all_threads(a.time(HistCost::kCopy, elements));
  }
  // So many chunks of points, each with so many copies.
  Time by_copies(const Time& each, const Number& chunks, int64_t copies = 1) const {
    const Number busy = a.most(a.least(chunks, threads), a.number(1));
    const Time updates = a.over(a.by(each, points), busy);
    const Time copied = copying(a.mul(chunks, a.number(copies)));
    return a.plus(a.time(HistCost::kStart, a.number(1)), a.plus(updates, copied));
  }
  // If so many of 1024 points go to the same bin as the one before.
  Time by_sorting(const Number& equal) const {
    const Number part = a.most(a.number(part_bytes), a.quotient(bytes, a.number(kMostCpuParts)));
    const Time sorted = a.plus(a.time(HistCost::kSort, a.number(1)),
                               a.time(HistCost::kSortArray, a.number(arrays)));
    const Time update = update_of(a.least(part, bytes));
    // Runs of the same bin are sorted as one point; to see that costs about an update more.
    const Time run = part_of(a.by(base(), a.number(2)), equal);
    const Number singles = others(equal);
    const Time single = part_of(a.plus(sorted, update), singles);
    const Time each = a.plus(run, single);
    // Bins are read and written once, those of whole lines that points go to.
    const Number lines = a.mul(points, a.number(kLineElements));
    const Number elements = a.mul(a.least(bins, lines), a.number(arrays));
    const Time touched = a.time(HistCost::kUpdate, elements);
    const Time work = a.plus(a.by(each, points), touched);
    return a.plus(a.time(HistCost::kStart, a.number(2)), by_all_threads(work));
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
  static constexpr int64_t last_level(const Caches& of) {
    return of.l3.bytes > of.l2.bytes ? of.l3.bytes : of.l2.bytes;
  }
  Number others(const Number& share) const {
    return a.most(a.add(a.number(kWhole), a.mul(share, a.number(-1))), a.number(0));
  }
  Time part_of(const Time& whole, const Number& share) const {
    return a.over(a.by(whole, share), a.number(kWhole));
  }
  Time third(const Number& size) const {
    return beyond(HistCost::kBeyondL3, size, last_level(caches));
  }
  Time by_all_threads(const Time& work) const {
    const Number all = a.most(threads, a.number(1));
    return a.over(work, all);
  }
  // What it costs that there is room for so many bytes only: of `size`, those beyond are not there.
  Time beyond(HistCost cost, const Number& size, int64_t room) const {
    const Number all = a.most(size, a.number(1));
    const Number over = a.most(a.add(size, a.number(-room)), a.number(0));
    const Number part = a.quotient(a.mul(over, a.number(kWhole * arrays)), all);
    return a.over(a.time(cost, part), a.number(kWhole));
  }
  // An update if the second cache has the bin, and what others cost more.
  Time first(const Number& size) const {
    return a.plus(base(), beyond(HistCost::kBeyondL1, size, caches.l1d.bytes));
  }
  Time far(const Number& size) const {
    const Time second = beyond(HistCost::kBeyondL2, size, caches.l2.bytes);
    const Time pages = beyond(HistCost::kBeyondPages, size, kPagesAtHand);
    const Time nearer = a.plus(second, pages);
    return a.plus(nearer, third(size));
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
// Of those that wait for each other.
constexpr HistCost cost_by_wait(HistCost first, DeviceUpdate update) {
  const int after = static_cast<int>(update) - static_cast<int>(DeviceUpdate::kChoice);
  return static_cast<HistCost>(static_cast<int>(first) + after);
}
constexpr HistCost same_cost(DeviceUpdate update) {
  return cost_by_wait(HistCost::kCountSameChoice, update);
}
constexpr HistCost frequent_cost(DeviceUpdate update) {
  return cost_by_wait(HistCost::kCountFrequentChoice, update);
}
static_assert(own_cost(DeviceUpdate::kLock) == HistCost::kOwnLock &&
              same_cost(DeviceUpdate::kLock) == HistCost::kCountSameLock &&
              frequent_cost(DeviceUpdate::kLock) == HistCost::kCountFrequentLock &&
              range_cost(DeviceUpdate::kLock) == HistCost::kRangeLock &&
              count_cost(DeviceUpdate::kLock) == HistCost::kCountLock);

// How the memory of a device updates a bin.
enum class MemoryUpdate : uint8_t { kInstruction, kFloat, kRow, kSwap, kLock };
constexpr HistCost memory_cost(MemoryUpdate update) {
  return static_cast<HistCost>(static_cast<uint8_t>(HistCost::kMemoryInstruction) +
                               static_cast<uint8_t>(update));
}
// … that has a place in the memory of a group.
constexpr HistCost place_cost(MemoryUpdate update) {
  return update == MemoryUpdate::kLock ? HistCost::kPlaceLock : HistCost::kPlaceSwap;
}
static_assert(memory_cost(MemoryUpdate::kLock) == HistCost::kMemoryLock);

// What keys are like: how many of kWhole points have the bin of a neighbour, a bin that comes
// often, and one that others far away have, too (imp/lower/gpu/seen_keys.h).
template <class Number>
struct KeyShares {
  Number same, frequent, known;
};

// Points of one histogram; where there are several, times are added.
template <class A>
struct DeviceHist {
  using Number = typename A::Number;
  using Time = typename A::Time;

  A& a;
  Number points, units;  // units: groups that run at once
  KeyShares<Number> keys;

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
  // … and counted.  Threads that have the same bin wait for each other.
  Time in_sorted(DeviceUpdate update, bool again = false) const {
    const Time waits = waiting(update);
    const Time counted = a.plus(a.time(count_cost(update), points), waits);
    if (!again || update == DeviceUpdate::kLock) return counted;
    return a.plus(counted, a.time(HistCost::kCountAgain, points));
  }
  // Where an update is no instruction, bins that come again have places in the memory of groups,
  // and neighbours that have the same bin combine first.
  Time in_memory(MemoryUpdate update) const {
    const Time all = a.time(memory_cost(update), points);
    if (update != MemoryUpdate::kSwap && update != MemoryUpdate::kLock) return all;
    const Number near = some(keys.known);
    const Number far = a.add(points, a.mul(near, a.number(-1)));
    const Time there = a.time(memory_cost(update), far);
    const Time all_there = a.plus(there, a.time(place_cost(update), near));
    if (update == MemoryUpdate::kSwap) return all_there;
    // Many threads wait for the lock of a place.
    return a.plus(all_there, a.time(frequent_cost(DeviceUpdate::kLock), some(keys.frequent)));
  }

  // Rows added to rows: elements that are added to the same one wait for each other.
  Time in_rows(const Number& bins) const {
    const Number meeting = a.quotient(points, a.most(bins, a.number(1)));
    return a.plus(in_memory(MemoryUpdate::kRow), a.time(HistCost::kLookMeet, meeting));
  }

  // Launches of the way that sorts, those that combine what groups have counted included.
  static constexpr int64_t kSortLaunches = 4;
  // Bins that mostly stay what they are, looked at first: those that do not fit the cache of a
  // multiprocessor, which is as large as the memory of a group, come from farther away.  The first
  // points of all threads change bins, and wait for each other.
  Time looking(const Number& bytes, const Number& cache, const Number& threads,
               const Number& bins) const {
    const Number all = a.most(bytes, a.number(1));
    const Number beyond = a.most(a.add(bytes, a.mul(cache, a.number(-1))), a.number(0));
    const Number share = a.quotient(a.mul(beyond, a.number(kWhole)), all);
    const Time far = a.over(a.time(HistCost::kLookBeyond, a.mul(points, share)), a.number(kWhole));
    const Time near = a.plus(a.time(HistCost::kLook, points), far);
    const Number some = a.most(bins, a.number(1));
    const Number meeting = a.quotient(a.least(points, threads), some);
    return a.plus(near, a.time(HistCost::kLookMeet, meeting));
  }
  static constexpr int64_t kWhole = 1024;
  // Launches of that way, and how often each bin is read or written.
  static constexpr int64_t kLookLaunches = 3, kLookJoins = 4;

 private:
  // So many of kWhole points.
  Number some(const Number& share) const {
    return a.quotient(a.mul(points, share), a.number(kWhole));
  }
  Number without(const Number& share, const Number& other) const {
    return a.most(a.add(share, a.mul(other, a.number(-1))), a.number(0));
  }
  Time waiting(DeviceUpdate update) const {
    if (update == DeviceUpdate::kInstruction || update == DeviceUpdate::kShort)
      return a.time(HistCost::kCountSameSwap, a.number(0));
    // Runs of one bin are found, and it has places of each thread's own.
    const Number seldom = without(keys.same, keys.frequent);
    const Number alone = without(keys.frequent, keys.same);
    const Time same = a.time(same_cost(update), some(seldom));
    return a.plus(same, a.time(frequent_cost(update), some(alone)));
  }
};

}  // namespace skald::machine
