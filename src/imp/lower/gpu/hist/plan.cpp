// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/plan.h"

#include "core/tuning/tuning.h"
#include "imp/lower/gpu/device_numbers.h"

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
          device_property(code, kGroupThreadsParam, kGroupThreadsClass, core::kGroupThreads)};
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
  const Operand by_points =
      code.min_i64(quotient(code, points, const_i64(kPointsOfBinGroup)),
                   quotient(code, points, code.mul_i64(some, const_i64(kPointsOfBin))));
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

}  // namespace skald::imp
