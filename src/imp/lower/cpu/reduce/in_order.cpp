// SPDX-License-Identifier: Apache-2.0
// Reductions whose lanes are neighbouring stretches, combined one after the other; for operators
// that are not commutative.  What they read is transposed before (transposed.h).
#include "imp/lower/common/lane_code.h"
#include "imp/lower/cpu/loops/lanes.h"
#include "imp/lower/cpu/reduce/reduce.h"
#include "imp/lower/cpu/reduce/transposed.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Bytes of accumulators, and points of a stretch: stretches are short, so that their places are
// near each other.
constexpr int64_t kOrderedBytes = 192, kStretch = 64;
// There are at least this many statements for each value that is loaded, which lanes do one by one.
constexpr size_t kStatementsPerLoad = 2;

// Blocks of as many stretches as there are lanes.
struct Stretches {
  KernelWriter& kernel;
  const std::vector<SinkInfo> sinks;
  const std::vector<Operand>& outer;
  const int64_t width;
  const std::vector<Accumulators>& accs;
  std::optional<TransposedReads> transposed;

  // One block from point `first` on.
  void block(Code& code, const Operand& first, const Operand& stretch) {
    if (!transposed) return feed(code, first, stretch);
    transposed->fill(code, outer, first, stretch);
    const PointsFrom columns(kernel, transposed->points());
    feed(code, first, stretch);
  }

  void feed(Code& code, const Operand& first, const Operand& stretch) {
    const Lanes lanes = start_lanes(kernel, code, sinks, width);
    code.loop(const_i64(0), stretch, [&](Code& at, const Operand& t) {
      feed_lanes(kernel, at, lanes, const_i64(width), LoopHint::kSimd,
                 [&](Code& here, const Operand& lane) {
                   std::vector<Operand> indices = outer;
                   const Operand begin = here.mul_i64(lane, stretch);
                   indices.push_back(here.add_i64(here.add_i64(first, t), begin));
                   if (transposed) transposed->move_to(t, lane);
                   return indices;
                 });
    });
    combine_lanes(kernel, code, lanes, width, accs);
  }
};

}  // namespace

int64_t ordered_lanes(const KernelWriter& kernel, Sink::Kind kind) {
  if (!kernel.facts.has_vectors || kernel.node.guarded) return 0;
  size_t loads = 0, count = 0;
  int64_t bytes = 0;
  if (kernel.staged != nullptr)
    loads = kernel.staged->buffers.size();
  else if (!count_scalar_code(kernel.node.pull.body, loads, count))
    return 0;
  for (const SinkInfo& info : kernel.facts.sinks) {
    // Nothing but the totals of a scan is computed at first.
    if (info.sink->kind != kind && kind == Sink::kScan) continue;
    if (info.sink->kind != kind) return 0;
    const Operator& op = info.sink->op[0];
    if (!count_scalar_code(op.fn.body, loads, count)) return 0;
    for (size_t v = 0; v < op.neutral.size(); ++v) bytes += prim_size(op.fn.params[v].type.elem);
  }
  if (count < kStatementsPerLoad * loads) return 0;
  int64_t lanes = kLanes;
  while (lanes * bytes > kOrderedBytes) lanes /= 2;
  return lanes < 4 ? 0 : lanes;
}

void reduce_in_order(KernelWriter& kernel, Code& code, Sink::Kind kind,
                     const std::vector<Operand>& outer, const Operand& begin, const Operand& end,
                     const std::vector<Accumulators>& accs) {
  const int64_t width = ordered_lanes(kernel, kind);
  const Operand rest =
      code.binop(BinOpKind::kAnd, code.sub_i64(end, begin), const_i64(width - 1), "rest");
  const Operand whole = code.sub_i64(end, rest);
  Stretches stretches{kernel, kernel.facts.sinks_of(kind),
                      outer,  width,
                      accs,   TransposedReads::along(kernel, code, width, kStretch)};
  code.loop(
      begin, whole,
      [&](Code& block, const Operand& first) {
        const Operand size =
            block.min_i64(const_i64(width * kStretch), block.sub_i64(whole, first));
        // Whole blocks have constant strides.
        block.branch(
            block.less_i64(size, const_i64(width * kStretch)),
            [&](Code& at) {
              stretches.block(at, first,
                              at.binop(BinOpKind::kQuot, size, const_i64(width), "stretch"));
            },
            [&](Code& at) { stretches.block(at, first, const_i64(kStretch)); });
      },
      width * kStretch);
  code.short_loop(whole, end, [&](Code& at, const Operand& i) {
    const auto join = [&](Code& inner, const std::vector<Operand>&,
                          const std::vector<Operand>& values) {
      for (size_t k = 0; k < stretches.sinks.size(); ++k)
        kernel.combine(inner, stretches.sinks[k].sink->op[0], accs[k],
                       kernel.sink_values(stretches.sinks[k], values));
    };
    kernel.point(at, outer, i, join);
  });
}

}  // namespace skald::imp
