// SPDX-License-Identifier: Apache-2.0
// Reductions whose lanes are neighbouring points, combined at the end; the operator must be
// commutative.  There are kLanes of them, or more of cheap points: a sum has to wait for the sum
// before it, so one needs as many registers as additions are under way at a time.
#include "imp/lower/common/lane_code.h"
#include "imp/lower/cpu/loops/lanes.h"
#include "imp/lower/cpu/reduce/reduce.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Bytes of accumulators that are kept in registers, if points and operators together have at most
// so many statements.
constexpr int64_t kAlongBytes = 256, kMostBanks = 4;
constexpr size_t kCheapStatements = 8;

// How many times kLanes lanes a reduction along its points has.
int64_t lane_banks(const KernelFacts& facts, const std::vector<SinkInfo>& sinks) {
  if (!facts.has_vectors || !facts.straight || has_slow_operation(facts.node.pull.body)) return 1;
  size_t count = facts.node.pull.body.stmts.size();
  int64_t bytes = 0;
  for (const SinkInfo& info : sinks) {
    const Operator& op = info.sink->op[0];
    count += op.fn.body.stmts.size();
    if (has_slow_operation(op.fn.body)) return 1;
    for (size_t v = 0; v < op.neutral.size(); ++v) bytes += prim_size(op.fn.params[v].type.elem);
  }
  int64_t banks = 1;
  while (count <= kCheapStatements && banks < kMostBanks &&
         2 * banks * kLanes * bytes <= kAlongBytes)
    banks *= 2;
  return banks;
}

// The points that fill no group of lanes.
void reduce_rest(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                 const Lanes& lanes, const Operand& first, const Operand& rest,
                 const std::vector<Accumulators>& accs) {
  code.short_loop(first, code.add_i64(first, rest), [&](Code& at, const Operand& i) {
    const auto join = [&](Code& inner, const std::vector<Operand>& indices,
                          const std::vector<Operand>& values) {
      for (size_t k = 0; k < lanes.sinks.size(); ++k)
        kernel.combine(inner, lanes.op(k), accs[k], kernel.sink_values(lanes.sinks[k], values));
      if (!kernel.facts.has(Sink::kScan)) kernel.direct_sinks(inner, indices, values);
    };
    kernel.point(at, outer, i, join);
  });
}

}  // namespace

WhyNot why_not_along(const KernelFacts& facts) {
  if (facts.node.guarded || !fits_lanes(facts.node.pull.body))
    return "the points cannot run in vectors";
  for (const core::Ret& result : facts.node.pull.results)
    if (!result.type.is_scalar()) return "points are arrays";
  for (const SinkInfo& info : facts.sinks) {
    if (info.sink->kind == Sink::kOut) continue;
    if (info.sink->kind != Sink::kReduce) return "it does more than reduce and store";
    if (!fits_lanes(info.sink->op[0].fn.body)) return "an operator cannot run in vectors";
    if (!info.sink->op[0].commutative && !is_simple_commutative(info.sink->op[0]))
      return "an operator is not commutative";
  }
  return std::nullopt;
}

void reduce_along(KernelWriter& kernel, Code& code, const std::vector<SinkInfo>& sinks,
                  const std::vector<Operand>& outer, const Operand& begin, const Operand& length,
                  const std::vector<Accumulators>& accs) {
  std::vector<Lanes> banks(static_cast<size_t>(lane_banks(kernel.facts, sinks)));
  for (Lanes& lanes : banks) lanes = start_lanes(kernel, code, sinks, kLanes);
  const auto from = [&](const Operand& first) {
    return [&outer, first](Code& at, const Operand& lane) {
      std::vector<Operand> indices = outer;
      indices.push_back(at.add_i64(first, lane));
      return indices;
    };
  };
  Operand first = begin, rest = length;
  const auto whole_groups = [&](size_t used) {
    const int64_t count = kLanes * static_cast<int64_t>(used);
    const Operand left = code.binop(BinOpKind::kAnd, rest, const_i64(count - 1), "rest");
    const Operand whole = code.add_i64(first, code.sub_i64(rest, left));
    code.loop(
        first, whole,
        [&](Code& at, const Operand& i) {
          for (size_t b = 0; b < used; ++b)
            feed_lanes(kernel, at, banks[b], const_i64(kLanes), LoopHint::kSimd,
                       from(at.add_i64(i, const_i64(kLanes * static_cast<int64_t>(b)))));
        },
        count);
    first = whole;
    rest = left;
  };
  whole_groups(banks.size());
  for (size_t half = banks.size() / 2; half > 0; half /= 2)
    for (size_t b = 0; b < half; ++b)
      fold_lanes(kernel, code, banks[b], banks[b + half], kLanes, 0);
  if (banks.size() > 1) whole_groups(1);
  const Lanes& lanes = banks[0];
  if (!kernel.facts.straight) {
    // Expensive points are worth vectors that are not full.
    const bool cheap = is_straight_line(kernel.node.pull.body);
    feed_lanes(kernel, code, lanes, rest, cheap ? LoopHint::kShort : LoopHint::kSimd, from(first));
    return combine_lanes(kernel, code, lanes, kLanes, accs);
  }
  // Nothing but whole vectors touches the lanes, so that they never need memory.
  reduce_rest(kernel, code, outer, lanes, first, rest, accs);
  for (int64_t half = kLanes / 2; half > 0; half /= 2)
    fold_lanes(kernel, code, lanes, lanes, half, half);
  for (size_t k = 0; k < lanes.sinks.size(); ++k)
    kernel.combine(code, lanes.op(k), accs[k], load_lane(code, lanes, k, const_i64(0)));
}

}  // namespace skald::imp
