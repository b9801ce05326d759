// SPDX-License-Identifier: Apache-2.0
// Reductions whose accumulators lie side by side in scratch memory, updated by simd loops: LLVM
// keeps them in vector registers.
//
// Along     the lanes are neighbouring points of one reduction, combined at its end; the operator
//           must be commutative.  kLanes of them, or more of cheap points: a sum has to wait for
//           the sum before it, so one needs as many registers as additions are under way at a time.
// In order  the lanes are neighbouring stretches of one reduction, combined one after the other;
//           for operators that are not commutative.  What they read is transposed before
//           (transposed.cpp).
// Across    the lanes are neighbouring segments, each reduced in order.  For kernels that read
//           neighbouring elements when the segment changes, not when the point in it changes:
//           column sums, matrix products.  Also for operators that are not commutative, if all
//           segments read the same points: the nearest one for each of many places.
//
//   lanes.cpp         which kernels are fit for it; accumulators
//   along.cpp   along, in order
//   across.cpp  across
#include "core/ir/visit.h"
#include "imp/lower/common/lane_code.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

bool KernelLowering::is_straight() const {
  if (kernel_.guarded || !is_straight_line(kernel_.pull.body)) return false;
  for (const core::Lambda& post : kernel_.post)
    if (!is_straight_line(post.body)) return false;
  for (const core::Ret& ret : kernel_.pull.results)
    if (ret.type.is_array()) return false;
  for (const SinkInfo& info : sinks_)
    for (const Operator& op : info.sink->op)
      if (!is_straight_line(op.fn.body)) return false;
  return true;
}

bool KernelLowering::is_scalar_code() const {
  size_t count = 0;
  if (kernel_.guarded || !count_scalar_code(kernel_.pull.body, count, count)) return false;
  for (const core::Ret& ret : kernel_.pull.results)
    if (ret.type.is_array()) return false;
  for (const core::Lambda& post : kernel_.post)
    if (!count_scalar_code(post.body, count, count)) return false;
  for (const SinkInfo& info : sinks_)
    for (const Operator& op : info.sink->op)
      if (!count_scalar_code(op.fn.body, count, count)) return false;
  return true;
}

bool KernelLowering::can_use_lanes() const {
  if (!is_straight()) return false;
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind != Sink::kReduce) return false;
  return true;
}

bool KernelLowering::are_commutative(Sink::Kind kind) const {
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind == kind && !info.sink->op[0].commutative &&
        !is_simple_commutative(info.sink->op[0]))
      return false;
  return true;
}

bool KernelLowering::can_reduce_along() const {
  if (kernel_.guarded || !fits_lanes(kernel_.pull.body)) return false;
  for (const core::Ret& result : kernel_.pull.results)
    if (!result.type.is_scalar()) return false;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind == Sink::kOut) continue;
    if (info.sink->kind != Sink::kReduce || !fits_lanes(info.sink->op[0].fn.body)) return false;
    if (!info.sink->op[0].commutative && !is_simple_commutative(info.sink->op[0])) return false;
  }
  return true;
}

bool KernelLowering::should_reduce_across() const {
  return can_use_lanes() && reads_across();
}

bool KernelLowering::reads_near_across() const {
  if (dims_.size() < 2 || fn_.target_ != Target::kCpu || !can_use_lanes()) return false;
  const Name column = kernel_.pull.params[dims_.size() - 2].name;
  const auto outer = [&](Name array) -> const ArrayPlace& { return fn_.place(array); };
  return count_accesses(kernel_.pull, column, outer).scattered == 0;
}

bool KernelLowering::reads_across() const {
  if (dims_.size() < 2) return false;
  const std::vector<core::Param>& indices = kernel_.pull.params;
  const auto outer = [&](Name array) -> const ArrayPlace& { return fn_.place(array); };
  const AccessCount along = count_accesses(kernel_.pull, indices.back().name, outer);
  const AccessCount across = count_accesses(kernel_.pull, indices[indices.size() - 2].name, outer);
  return along.scattered > across.scattered;
}

std::vector<Access> KernelLowering::accesses(Code& code) const {
  return find_accesses(kernel_.pull, [&](Name array) -> std::optional<std::vector<Operand>> {
    const ArrayPlace* place = fn_.find_place(array);
    if (place == nullptr) return std::nullopt;
    return fn_.strides(code, *place);
  });
}

bool KernelLowering::shares_points(Code& code) const {
  if (dims_.size() < 2 || fn_.target_ != Target::kCpu || !can_use_lanes()) return false;
  return std::ranges::all_of(accesses(code), [&](const Access& access) {
    const std::optional<Operand>& across = access.steps[dims_.size() - 2];
    return is_step(across, 0) || is_step(across, 1) || is_step(access.steps.back(), 0);
  });
}

// ---- accumulators

KernelLowering::Lanes KernelLowering::start_lanes(Code& code, int64_t count) {
  Lanes lanes;
  for (const SinkInfo& info : laned_) {
    lanes.emplace_back();
    const Operator& op = info.sink->op[0];
    for (size_t v = 0; v < op.neutral.size(); ++v) {
      const Prim type = op.fn.params[v].type.elem;
      lanes.back().push_back(
          code.alloc(Space::kScratch, const_i64(count * prim_size(type)), "lanes"));
      code.loop(
          const_i64(0), const_i64(count),
          [&](Code& at, const Operand& lane) {
            at.add(Store{type, lanes.back()[v], lane, fn_.value(op.neutral[v])});
          },
          1, LoopHint::kSimd);
    }
  }
  return lanes;
}

std::vector<Operand> KernelLowering::load_lane(Code& code, const Lanes& lanes, size_t reduction,
                                               const Operand& lane) {
  std::vector<Operand> values;
  for (size_t v = 0; v < lanes[reduction].size(); ++v)
    values.push_back(code.load(laned_[reduction].sink->op[0].fn.params[v].type.elem,
                               lanes[reduction][v], lane, "lane"));
  return values;
}

void KernelLowering::feed_lanes(
    Code& code, const Lanes& lanes, const Operand& count, LoopHint hint,
    const std::function<std::vector<Operand>(Code&, const Operand&)>& indices_of) {
  code.loop(
      const_i64(0), count,
      [&](Code& inner, const Operand& lane) {
        point(
            inner, indices_of(inner, lane),
            [&](Code& at, const std::vector<Operand>& indices, const std::vector<Operand>& values) {
              for (size_t k = 0; k < laned_.size(); ++k) {
                const Operator& op = laned_[k].sink->op[0];
                std::vector<Operand> args = load_lane(at, lanes, k, lane);
                for (const Operand& value : sink_values(laned_[k], values)) args.push_back(value);
                std::vector<Operand> next = fn_.apply(at, op.fn, args);
                if (fn_.options_.fused_sums && !has(Sink::kScan))
                  for (Operand& sum : next) sum = at.fused(sum);
                for (size_t v = 0; v < next.size(); ++v)
                  at.add(Store{op.fn.params[v].type.elem, lanes[k][v], lane, next[v]});
              }
              // The totals of scans come before their outputs.
              if (!has(Sink::kScan)) direct_sinks(at, indices, values);
            });
      },
      1, hint);
}

}  // namespace skald::imp
