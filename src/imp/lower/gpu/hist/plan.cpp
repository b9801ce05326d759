// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/plan.h"

#include <algorithm>

#include "core/tuning/tuning.h"
#include "imp/lower/gpu/device_numbers.h"
#include "imp/lower/kernel/hist_arithmetic.h"

namespace skald::imp {

using machine::HistWay;

namespace {

// Of the memory of a group, for what is not bins.
constexpr int64_t kReservedMemory = 2 << 10;
// Groups that share a multiprocessor, if the bins of each fit half of its memory.
constexpr int64_t kGroupsOfUnit = 2;
// A group has so many points at least, and so many for each of its bins, copies counted: making and
// adding up a bin costs about as much as a point.
constexpr int64_t kPointsOfBinGroup = 8192, kPointsOfBin = 2;
// A warp has no use for more, unless those with the same copy wait for each other.
constexpr int64_t kMostCopies = 32, kMostWaitingCopies = 128;
// With fewer points nothing was measured; updates that wait for each other are sorted sooner.
// Places in a range have 16 bits, one of which says that there is none.
constexpr int64_t kFewestSortedPoints = 1 << 20, kFewestWaitingPoints = 1 << 17;
constexpr int64_t kMostWidth = 63 * kBinRow;
// Counters of all ranges: so many that lanes of a warp seldom meet, in little memory.
constexpr int64_t kMostCounters = 192, kMostReplicas = 4;

Operand quotient(Code& code, const Operand& a, const Operand& b) {
  return code.binop(BinOpKind::kQuot, a, b, "quotient");
}

Operand at_most(Code& code, const Operand& a, const Operand& b) {
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kLe, Prim::kI64, a, b}, "at_most");
}

// Times of more points would leave the numbers of 64 bits; their proportions are the same.
constexpr int64_t kMostDevicePoints = int64_t{1} << 31;

// Code for the times of the ways that a kernel has.
class DeviceTimes {
 public:
  DeviceTimes(Code& code, const DeviceLimits& limits, const HistsOfKernel& hists)
      : code_(code),
        hists_(hists),
        limits_(limits),
        arithmetic_(code, hists.numbers.costs),
        model_{arithmetic_,
               code.min_i64(hists.points, const_i64(kMostDevicePoints)),
               limits.units,
               {hists.keys.same, hists.keys.frequent, hists.keys.known}} {}

  // Bins of so many groups that are added up are `joined`.
  Operand by_groups(const Operand& groups, const Operand& joined) {
    return counted(1, joined,
                   [&](UpdateClass update) { return model_.in_groups(update.own, groups); });
  }
  Operand by_ranges(const Operand& ranges, const Operand& joined) {
    return counted(1, joined,
                   [&](UpdateClass update) { return model_.in_ranges(update.own, ranges); });
  }
  // Bins of all rounds are `joined`.  `again`: are values computed again when sorted points are
  // counted?
  Operand by_sorting(const Operand& rounds, const Operand& joined, bool again) {
    const Operand sorting = model_.sorting(kSortTile);
    const Operand launches = model_.launches(machine::DeviceHist<HistArithmetic>::kSortLaunches);
    const Operand each =
        counted(0, joined, [&](UpdateClass update) { return model_.in_sorted(update.own, again); });
    const Operand all_launches = arithmetic_.by(launches, rounds);
    return arithmetic_.plus(sorting, arithmetic_.plus(all_launches, each));
  }
  Operand looked() {
    // Bins are made, and joined with the destination: each of them read and written.
    const Operand joined = code_.mul_i64(hists_.bins, const_i64(kLookJoins));
    const Operand bytes = code_.mul_i64(hists_.bins, const_i64(hists_.look_bytes));
    const Operand threads = code_.mul_i64(limits_.units, const_i64(kBinGroupsAtOnce * kBinThreads));
    return counted(kLookLaunches, joined, [&](UpdateClass) {
      return model_.looking(bytes, limits_.memory, threads, hists_.bins);
    });
  }
  Operand in_memory() {
    const Operand updated = updated_in_memory();
    return hists_.look_bytes > 0 ? code_.min_i64(updated, looked()) : updated;
  }
  Operand updated_in_memory() {
    return counted(1, const_i64(0), [&](UpdateClass update) {
      const Operand time = model_.in_memory(update.memory);
      if (!update.float_sum) return time;
      const Operand adds = code_.less_i64(const_i64(0), limits_.float_sums);
      Operand quick = model_.in_memory(machine::MemoryUpdate::kFloat);
      if (update.row_sum) {
        const Operand all_bins =
            code_.mul_i64(hists_.bins, code_.max_i64(hists_.rows, const_i64(1)));
        const Operand of_rows = model_.in_rows(all_bins);
        quick = code_.let(Prim::kI64, core::Select{hists_.in_rows, of_rows, quick}, "quick");
      }
      return code_.let(Prim::kI64, core::Select{adds, quick, time}, "in_memory");
    });
  }

 private:
  static constexpr int64_t kLookLaunches = machine::DeviceHist<HistArithmetic>::kLookLaunches;
  static constexpr int64_t kLookJoins = machine::DeviceHist<HistArithmetic>::kLookJoins;
  template <class Each>
  Operand counted(int64_t launches, const Operand& joined, const Each& each) {
    const Operand launched = model_.launches(launches);
    Operand time = arithmetic_.plus(launched, model_.joining(joined));
    for (const UpdateClass& update : hists_.updates) time = arithmetic_.plus(time, each(update));
    return time;
  }

  Code& code_;
  const HistsOfKernel& hists_;
  const DeviceLimits& limits_;
  HistArithmetic arithmetic_;
  machine::DeviceHist<HistArithmetic> model_;
};

// What fits is taken if that is asked for, or if nothing is and it pays.
template <class Pays>
Operand taken(const HistsOfKernel& hists, HistWay way, const Pays& pays) {
  const HistWay wanted = hists.numbers.way;
  if (wanted == way) return core::const_bool(true);
  return wanted >= HistWay::kGroupBins ? core::const_bool(false) : pays();
}

}  // namespace

UpdateClass update_class(const OwnBins& bins) {
  using machine::DeviceUpdate, machine::MemoryUpdate;
  const core::Operator& op = bins.op();
  const bool locks = bin_update(op) == BinUpdate::kLock || op.neutral.size() > 1;
  const MemoryUpdate memory = atomic_operator(op) ? MemoryUpdate::kInstruction
                              : locks             ? MemoryUpdate::kLock
                                                  : MemoryUpdate::kSwap;
  const bool adds = is_float_sum(op);
  const bool row = adds && op.fn.params[0].type.elem == Prim::kF32;
  switch (bin_update(op)) {
    case BinUpdate::kInstruction: return {DeviceUpdate::kInstruction, memory, adds, row};
    case BinUpdate::kLock: return {DeviceUpdate::kLock, memory, adds, row};
    case BinUpdate::kSwap: break;
  }
  if (!bins.has_long_updates()) return {DeviceUpdate::kShort, memory, adds, row};
  return {bins.changes_seldom() ? DeviceUpdate::kChoice : DeviceUpdate::kSwap, memory, adds, row};
}

Operand no_frequent_bins(Code& code, const HistsOfKernel& hists) {
  const Operand none = code.less_i64(hists.keys.frequent, const_i64(1));
  return code.both(hists.keys.looked, none, "even");
}

DeviceLimits device_limits(Code& code) {
  using namespace core;
  return {device_property(code, kLocalMemoryParam, kLocalMemoryClass, kLocalMemory),
          compute_units(code),
          device_property(code, kGroupThreadsParam, kGroupThreadsClass, core::kGroupThreads),
          device_property(code, kFloatSumsParam, kFloatSumsClass, core::kFloatSums)};
}

GroupBinsPlan plan_group_bins(Code& code, const DeviceLimits& limits, const HistsOfKernel& hists,
                              const Operand& bytes) {
  const Operand rows = code.max_i64(hists.rows, const_i64(1)), &bins = hists.bins;
  const Operand points = quotient(code, hists.points, rows);
  const Operand memory = code.sub_i64(limits.memory, const_i64(kReservedMemory));
  const Operand half = code.sub_i64(quotient(code, limits.memory, const_i64(kGroupsOfUnit)),
                                    const_i64(kReservedMemory));
  const Operand small = at_most(code, bytes, half);
  const Operand per_unit =
      code.let(Prim::kI64, core::Select{small, const_i64(kGroupsOfUnit), const_i64(1)}, "per_unit");
  const Operand room = code.let(Prim::kI64, core::Select{small, half, memory}, "room");
  const Operand some = code.max_i64(bins, const_i64(1));
  const Operand of_points = quotient(code, points, const_i64(kPointsOfBinGroup));
  const Operand of_bins = quotient(code, points, code.mul_i64(some, const_i64(kPointsOfBin)));
  const Operand by_points = code.min_i64(of_points, of_bins);
  const Operand all_at_once = code.mul_i64(limits.units, per_unit);
  const Operand at_once = code.max_i64(quotient(code, all_at_once, rows), const_i64(1));
  const Operand groups = code.min_i64(at_once, by_points);
  const Operand fits = at_most(code, bytes, memory);
  const Operand enough = taken(hists, HistWay::kGroupBins, [&] {
    DeviceTimes times(code, limits, hists);
    const Operand all = code.mul_i64(groups, rows);
    const Operand joined = code.mul_i64(bins, all);
    const Operand counted = times.by_groups(all, joined);
    const Operand pays = at_most(code, counted, times.in_memory());
    return code.both(code.less_i64(const_i64(0), groups), pays, "pays");
  });
  const Operand wide = at_most(code, const_i64(kBinThreads), limits.threads);
  // Copies: as many as there is room and points for.
  const Operand of_group = quotient(code, points, code.max_i64(groups, const_i64(1)));
  const Operand most_bins = quotient(code, of_group, const_i64(kPointsOfBin));
  Operand copies = const_i64(1);
  const bool waits = std::ranges::any_of(hists.updates, [](const UpdateClass& update) {
    return update.own == machine::DeviceUpdate::kSwap || update.own == machine::DeviceUpdate::kLock;
  });
  // Places for bins that come often are worth more than another copy, but not another way.
  const Operand frequent = code.let(
      Prim::kI64,
      core::Select{no_frequent_bins(code, hists), const_i64(0), const_i64(hists.frequent_bytes)},
      "frequent");
  const Operand both_fit = at_most(code, code.add_i64(bytes, frequent), room);
  const Operand rest =
      code.let(Prim::kI64, core::Select{both_fit, code.sub_i64(room, frequent), room}, "rest");
  for (int64_t next = 2; next <= (waits ? kMostWaitingCopies : kMostCopies); next *= 2) {
    const Operand there = at_most(code, code.mul_i64(bytes, const_i64(next)), rest);
    const Operand paid = at_most(code, code.mul_i64(bins, const_i64(next)), most_bins);
    copies =
        code.let(Prim::kI64, core::Select{code.both(there, paid, "more"), const_i64(next), copies},
                 "copies");
  }
  const Name chosen = code.fresh("copies");
  code.add(Tunable{chosen, "hist_copies", "hist_copies", copies});
  const Operand left = code.sub_i64(room, code.mul_i64(bytes, chosen));
  return {code.both(code.both(fits, enough, "pays"), wide, "pays"),
          code.max_i64(groups, const_i64(1)), chosen, left, no_frequent_bins(code, hists)};
}

RangeBinsPlan plan_range_bins(Code& code, const DeviceLimits& limits, const HistsOfKernel& hist,
                              int64_t bytes) {
  const Operand& bins = hist.bins;
  const Operand memory =
      code.sub_i64(limits.memory, const_i64(kReservedMemory + hist.frequent_bytes));
  const Operand room = quotient(code, memory, const_i64(bytes));
  RangeBinsPlan plan;
  plan.ranges = pieces(code, bins, code.max_i64(room, const_i64(1)));
  const Operand some = code.max_i64(plan.ranges, const_i64(1));
  plan.width = pieces(code, bins, some);
  plan.groups_of_range = code.max_i64(quotient(code, limits.units, some), const_i64(1));
  Operand pays = code.less_i64(const_i64(1), plan.ranges);
  const auto also = [&](const Operand& holds) { pays = code.both(pays, holds, "pays"); };
  also(at_most(code, const_i64(kBinThreads), limits.threads));
  also(taken(hist, HistWay::kRangeBins, [&] {
    DeviceTimes times(code, limits, hist);
    const Operand joined = code.mul_i64(plan.width, limits.units);
    const Operand sorted = times.by_sorting(const_i64(1), joined, hist.counts_again);
    const Operand others = code.min_i64(sorted, times.in_memory());
    return at_most(code, times.by_ranges(plan.ranges, joined), others);
  }));
  plan.pays = pays;
  return plan;
}

LookedBinsPlan plan_looked_bins(Code& code, const DeviceLimits& limits, const HistsOfKernel& hists,
                                const Operand& bytes) {
  LookedBinsPlan plan;
  plan.bytes = bytes;
  plan.groups = code.mul_i64(limits.units, const_i64(kBinGroupsAtOnce));
  Operand pays = at_most(code, const_i64(kBinThreads), limits.threads);
  const auto also = [&](const Operand& holds) { pays = code.both(pays, holds, "pays"); };
  also(at_most(code, bytes, most_extra_bytes(code, hists)));
  also(taken(hists, HistWay::kLookedBins, [&] {
    DeviceTimes times(code, limits, hists);
    const Operand looked = times.looked();
    return at_most(code, looked, times.updated_in_memory());
  }));
  plan.pays = pays;
  return plan;
}

namespace {

// As few ranges as fit, of `room` bins; then so many more that the groups that run at once can be
// shared out among them, or take the same number of them.
void plan_ranges(Code& code, const Operand& bins, const Operand& room, const Operand& units,
                 SortedBinsPlan& plan) {
  const auto whole_rows = [&](const Operand& count) {
    return code.mul_i64(quotient(code, count, const_i64(kBinRow)), const_i64(kBinRow));
  };
  // One place is for points that fill up.
  const Operand some = whole_rows(code.sub_i64(room, const_i64(1)));
  const Operand most = code.min_i64(code.max_i64(some, const_i64(kBinRow)), const_i64(kMostWidth));
  const Operand fewest = code.max_i64(pieces(code, bins, most), const_i64(1));
  const Operand of_range = quotient(code, units, fewest);
  const Operand shared_out = quotient(code, units, code.max_i64(of_range, const_i64(1)));
  const Operand rounds = code.mul_i64(pieces(code, fewest, units), units);
  const Operand many = code.min_i64(rounds, const_i64(kMostRanges));
  const Operand wanted =
      code.let(Prim::kI64, core::Select{at_most(code, fewest, units), shared_out, many}, "ranges");
  const Operand width = pieces(code, bins, wanted);
  plan.width =
      code.max_i64(whole_rows(code.add_i64(width, const_i64(kBinRow - 1))), const_i64(kBinRow));
  plan.ranges = pieces(code, bins, plan.width);
}

}  // namespace

namespace {

Operand sorting_pays(Code& code, const DeviceLimits& limits, const SortedHists& hists,
                     const SortedBinsPlan& plan) {
  const Name worth = code.fresh("worth");
  const bool waits = std::ranges::any_of(hists.all.updates, [](const UpdateClass& update) {
    return update.memory != machine::MemoryUpdate::kInstruction;
  });
  code.add(Tunable{worth, "hist_sorted_points", "hist_sorted_points",
                   const_i64(waits ? kFewestWaitingPoints : kFewestSortedPoints)});
  DeviceTimes times(code, limits, hists.all);
  const Operand of_round = code.mul_i64(plan.width, limits.units);
  const Operand joined = code.mul_i64(plan.rounds, of_round);
  const Operand sorted = times.by_sorting(plan.rounds, joined, hists.all.counts_again);
  const Operand others = times.in_memory();
  const Operand many = at_most(code, worth, hists.all.points);
  Operand pays = code.both(many, at_most(code, sorted, others), "pays");
  // Threads that compare and swap wait for each other where keys are equal; the device's memory
  // does not.
  if (hists.float_sums)
    pays = code.both(pays, code.less_i64(limits.float_sums, const_i64(1)), "pays");
  return pays;
}

// As many tiles at once as there is memory for.  Says whether there is enough: groups that run at
// once have a tile each.
Operand plan_rounds(Code& code, const Operand& units, const SortedHists& hists,
                    SortedBinsPlan& plan) {
  const Operand groups = code.add_i64(units, plan.ranges);
  const Operand of_groups = code.mul_i64(plan.width, const_i64(hists.table_bytes));
  const Operand tables = code.mul_i64(groups, of_groups);
  const Operand most = most_extra_bytes(code, hists.all);
  const Operand left = code.sub_i64(most, tables);
  const Operand of_points = code.mul_i64(plan.room, const_i64(kSortedBinBytes + hists.value_bytes));
  const Operand of_table = code.mul_i64(plan.ranges, const_i64(kSortedPartBytes));
  const Operand fitting = quotient(code, left, code.add_i64(of_points, of_table));
  const Operand some = code.max_i64(fitting, const_i64(1));
  plan.all_tiles = pieces(code, hists.all.points, const_i64(kSortTile));
  plan.rounds = code.max_i64(pieces(code, plan.all_tiles, some), const_i64(1));
  plan.tiles = pieces(code, plan.all_tiles, plan.rounds);
  return at_most(code, code.min_i64(plan.all_tiles, units), fitting);
}

}  // namespace

SortedBinsPlan plan_sorted_bins(Code& code, const DeviceLimits& limits, const SortedHists& hists) {
  const Operand &points = hists.all.points, &bins = hists.all.bins;
  const Operand memory = code.sub_i64(limits.memory, const_i64(kReservedMemory));
  const auto aligned = [&](const Operand& bytes) {
    return code.binop(BinOpKind::kAnd, code.add_i64(bytes, const_i64(kSharedAlignment - 1)),
                      const_i64(-kSharedAlignment), "bytes");
  };
  SortedBinsPlan plan;
  // Values that are read again go through what is left to the cache.
  const Operand most = code.sub_i64(memory, const_i64(hists.all.frequent_bytes));
  const Operand room =
      hists.all.counts_again
          ? code.min_i64(most, code.mul_i64(quotient(code, memory, const_i64(4)), const_i64(3)))
          : most;
  plan_ranges(code, bins, quotient(code, room, const_i64(hists.bin_bytes)), limits.units, plan);
  plan.replicas = const_i64(1);
  for (int64_t next = 2; next <= kMostReplicas; next *= 2) {
    const Operand few =
        at_most(code, code.mul_i64(plan.ranges, const_i64(next)), const_i64(kMostCounters));
    plan.replicas =
        code.let(Prim::kI64, core::Select{few, const_i64(next), plan.replicas}, "replicas");
  }
  plan.room = code.add_i64(const_i64(kSortTile), code.mul_i64(plan.ranges, const_i64(kSortUnit)));
  plan.units = limits.units;
  const Operand enough = plan_rounds(code, limits.units, hists, plan);
  // Whole numbers of quotas are at most so many as groups that run at once.
  const Operand halves = code.add_i64(code.mul_i64(limits.units, const_i64(2)), const_i64(1));
  const Operand of_round = code.min_i64(code.mul_i64(plan.tiles, const_i64(kSortTile)), points);
  const Operand quota = quotient(code, code.mul_i64(of_round, const_i64(2)), halves);
  plan.quota = code.max_i64(quota, const_i64(1));
  const Operand counters = code.mul_i64(plan.ranges, plan.replicas);
  const Operand counts = aligned(code.mul_i64(counters, const_i64(4)));
  const Operand sorted = aligned(code.mul_i64(plan.room, const_i64(2)));
  plan.sort_memory = code.add_i64(counts, sorted);
  if (hists.value_bytes > 0)
    plan.sort_memory = code.add_i64(plan.sort_memory,
                                    aligned(code.mul_i64(plan.room, const_i64(hists.value_bytes))));
  const Operand places = code.add_i64(plan.width, const_i64(1));
  plan.count_memory = code.add_i64(aligned(code.mul_i64(places, const_i64(hists.bin_bytes))),
                                   const_i64(hists.all.frequent_bytes));
  Operand pays = core::const_bool(true);
  const auto also = [&](const Operand& holds) { pays = code.both(pays, holds, "pays"); };
  also(code.less_i64(const_i64(0), plan.ranges));
  also(at_most(code, plan.ranges, const_i64(kMostRanges)));
  also(enough);
  also(at_most(code, plan.sort_memory, memory));
  also(at_most(code, plan.count_memory, memory));
  also(at_most(code, const_i64(kBinThreads), limits.threads));
  also(taken(hists.all, HistWay::kSortedBins,
             [&] { return sorting_pays(code, limits, hists, plan); }));
  plan.pays = pays;
  return plan;
}

}  // namespace skald::imp
