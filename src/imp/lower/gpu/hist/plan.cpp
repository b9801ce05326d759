// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/plan.h"

#include "core/tuning/tuning.h"
#include "imp/lower/gpu/device_numbers.h"
#include "imp/lower/gpu/hist/own_bins.h"

namespace skald::imp {

namespace {

// Of the memory of a group, for what is not bins.
constexpr int64_t kReservedMemory = 2 << 10;
// Groups that share a multiprocessor, if the bins of each fit half of its memory.
constexpr int64_t kGroupsOfUnit = 2;
// A group has so many points at least, and so many for each of its bins, copies counted: making and
// adding up a bin costs about as much as a point.
constexpr int64_t kPointsOfBinGroup = 8192, kPointsOfBin = 2;
// With fewer than one group for so many units, the device would be idle.
constexpr int64_t kUnitsOfGroup = 4;
// A warp has no use for more.
constexpr int64_t kMostCopies = 32;
// Sorting costs two launches; places in a range have 16 bits, one of which says that there is none.
constexpr int64_t kFewestSortedPoints = 1 << 20, kMostWidth = 63 * kBinRow;
// Counters of all ranges: so many that lanes of a warp seldom meet, in little memory.
constexpr int64_t kMostCounters = 192, kMostReplicas = 4;

Operand quotient(Code& code, const Operand& a, const Operand& b) {
  return code.binop(BinOpKind::kQuot, a, b, "quotient");
}

Operand at_most(Code& code, const Operand& a, const Operand& b) {
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kLe, Prim::kI64, a, b}, "at_most");
}

}  // namespace

DeviceLimits device_limits(Code& code) {
  using namespace core;
  return {device_property(code, kLocalMemoryParam, kLocalMemoryClass, kLocalMemory),
          compute_units(code),
          device_property(code, kGroupThreadsParam, kGroupThreadsClass, core::kGroupThreads),
          device_property(code, kFloatSumsParam, kFloatSumsClass, core::kFloatSums)};
}

GroupBinsPlan plan_group_bins(Code& code, const DeviceLimits& limits, const Operand& points,
                              const Operand& bins, const Operand& bytes) {
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
  const Operand groups = code.min_i64(code.mul_i64(limits.units, per_unit), by_points);
  const Operand fits = at_most(code, bytes, memory);
  const Operand enough =
      at_most(code, limits.units, code.mul_i64(groups, const_i64(kUnitsOfGroup)));
  const Operand wide = at_most(code, const_i64(kBinThreads), limits.threads);
  // Copies: as many as there is room and points for.
  const Operand of_group = quotient(code, points, code.max_i64(groups, const_i64(1)));
  const Operand most_bins = quotient(code, of_group, const_i64(kPointsOfBin));
  Operand copies = const_i64(1);
  for (int64_t next = 2; next <= kMostCopies; next *= 2) {
    const Operand there = at_most(code, code.mul_i64(bytes, const_i64(next)), room);
    const Operand paid = at_most(code, code.mul_i64(bins, const_i64(next)), most_bins);
    copies =
        code.let(Prim::kI64, core::Select{code.both(there, paid, "more"), const_i64(next), copies},
                 "copies");
  }
  const Name chosen = code.fresh("copies");
  code.add(Tunable{chosen, "hist_copies", "hist_copies", copies});
  return {code.both(code.both(fits, enough, "pays"), wide, "pays"),
          code.max_i64(groups, const_i64(1)), chosen};
}

namespace {

// All groups look at all points, and a warp takes the time of an update if one of its threads has
// one.  So many times this costs less than sorting, by what an update is.
int64_t most_ranges(const OwnBins& own) {
  switch (bin_update(own.op())) {
    case BinUpdate::kInstruction: return 2;
    case BinUpdate::kSwap: return !own.has_long_updates() ? 3 : own.changes_seldom() ? 2 : 1;
    case BinUpdate::kLock: return 3;
  }
  SKALD_BUG("an update of bins");
}

}  // namespace

RangeBinsPlan plan_range_bins(Code& code, const DeviceLimits& limits, const Operand& points,
                              const Operand& bins, const OwnBins& own) {
  const Operand memory = code.sub_i64(limits.memory, const_i64(kReservedMemory));
  const Operand room = quotient(code, memory, const_i64(own.bytes()));
  RangeBinsPlan plan;
  plan.ranges = pieces(code, bins, code.max_i64(room, const_i64(1)));
  const Operand some = code.max_i64(plan.ranges, const_i64(1));
  plan.width = pieces(code, bins, some);
  plan.groups_of_range = code.max_i64(quotient(code, limits.units, some), const_i64(1));
  Operand pays = code.less_i64(const_i64(1), plan.ranges);
  const auto also = [&](const Operand& holds) { pays = code.both(pays, holds, "pays"); };
  also(at_most(code, plan.ranges, const_i64(most_ranges(own))));
  // What a group looks at is worth making and adding up its bins.
  const Operand of_bins = code.mul_i64(plan.width, const_i64(kPointsOfBin));
  const Operand least = code.max_i64(of_bins, const_i64(kPointsOfBinGroup));
  also(at_most(code, code.mul_i64(plan.groups_of_range, least), points));
  also(at_most(code, const_i64(kBinThreads), limits.threads));
  if (is_float_sum(own.op())) also(code.less_i64(limits.float_sums, const_i64(1)));
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

SortedBinsPlan plan_sorted_bins(Code& code, const DeviceLimits& limits, const SortedHists& hists) {
  const Operand &points = hists.points, &bins = hists.bins;
  const Operand memory = code.sub_i64(limits.memory, const_i64(kReservedMemory));
  const auto aligned = [&](const Operand& bytes) {
    return code.binop(BinOpKind::kAnd, code.add_i64(bytes, const_i64(kSharedAlignment - 1)),
                      const_i64(-kSharedAlignment), "bytes");
  };
  SortedBinsPlan plan;
  // Values that are read again go through what is left to the cache.
  const Operand room =
      hists.reads_again ? code.mul_i64(quotient(code, memory, const_i64(4)), const_i64(3)) : memory;
  plan_ranges(code, bins, quotient(code, room, const_i64(hists.bin_bytes)), limits.units, plan);
  plan.replicas = const_i64(1);
  for (int64_t next = 2; next <= kMostReplicas; next *= 2) {
    const Operand few =
        at_most(code, code.mul_i64(plan.ranges, const_i64(next)), const_i64(kMostCounters));
    plan.replicas =
        code.let(Prim::kI64, core::Select{few, const_i64(next), plan.replicas}, "replicas");
  }
  plan.tiles = pieces(code, points, const_i64(kSortTile));
  plan.room = code.add_i64(const_i64(kSortTile), code.mul_i64(plan.ranges, const_i64(kSortUnit)));
  plan.units = limits.units;
  // Whole numbers of quotas are at most so many as groups that run at once.
  const Operand halves = code.add_i64(code.mul_i64(limits.units, const_i64(2)), const_i64(1));
  const Operand quota = quotient(code, code.mul_i64(points, const_i64(2)), halves);
  plan.quota = code.max_i64(quota, const_i64(1));
  const Operand counters = code.mul_i64(plan.ranges, plan.replicas);
  const Operand counts = aligned(code.mul_i64(counters, const_i64(4)));
  const Operand sorted = aligned(code.mul_i64(plan.room, const_i64(2)));
  plan.sort_memory = code.add_i64(counts, sorted);
  if (hists.value_bytes > 0)
    plan.sort_memory = code.add_i64(plan.sort_memory,
                                    aligned(code.mul_i64(plan.room, const_i64(hists.value_bytes))));
  const Operand places = code.add_i64(plan.width, const_i64(1));
  plan.count_memory = aligned(code.mul_i64(places, const_i64(hists.bin_bytes)));
  const Name worth = code.fresh("worth");
  code.add(
      Tunable{worth, "hist_sorted_points", "hist_sorted_points", const_i64(kFewestSortedPoints)});
  Operand pays = at_most(code, worth, points);
  const auto also = [&](const Operand& holds) { pays = code.both(pays, holds, "pays"); };
  also(at_most(code, code.mul_i64(bins, const_i64(kPointsOfBin)), points));
  also(code.less_i64(const_i64(0), plan.ranges));
  also(at_most(code, plan.ranges, const_i64(kMostRanges)));
  also(at_most(code, plan.sort_memory, memory));
  also(at_most(code, plan.count_memory, memory));
  also(at_most(code, const_i64(kBinThreads), limits.threads));
  // The device's memory adds floats faster than threads that compare and swap.
  if (hists.float_sums) also(code.less_i64(limits.float_sums, const_i64(1)));
  plan.pays = pays;
  return plan;
}

}  // namespace skald::imp
