// SPDX-License-Identifier: Apache-2.0
// Cheap points: a thread takes several, so that the loads of all of them are under way at once.
// Neighbouring threads have neighbouring points.
#include <algorithm>

#include "core/ir/visit.h"
#include "imp/lower/gpu/kernel.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/tile_points.h"

namespace skald::imp {

using core::Sink;

namespace {

constexpr int64_t kPointsOfThread = 4;
constexpr int64_t kTile = kPointsOfThread * kGroupThreads;
// Larger thunks have enough to load by themselves.
constexpr size_t kCheapThunk = 64;

}  // namespace

WhyNot why_not_several_points(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (gpu.is_seg()) return "segments have different lengths";
  if (!facts.straight) return "points are more than straight scalar code";
  if (facts.node.pull.body.stmts.size() > kCheapThunk) return "points cost enough";
  if (!std::ranges::all_of(facts.sinks, [](const SinkInfo& info) {
        return info.sink->kind == Sink::kOut || info.sink->kind == Sink::kScatter;
      }))
    return "sinks other than arrays and scatters";
  return std::nullopt;
}

void write_several_points(GpuKernel& gpu, Code& code, const Otherwise&) {
  gpu.count_points(code);
  FunctionLowering& fn = gpu.kernel.fn;
  Code inner(fn.prog);
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  {
    const InKernel inside(fn);
    const Operand begin = inner.mul_i64(group, const_i64(kTile));
    const Operand left = inner.sub_i64(gpu.total, begin);
    const TilePoints tile(inner, begin, gpu.kernel.facts.dims);
    const auto point = [&](Code& at, const Operand& offset) {
      const std::vector<Operand> indices = tile.at(at, offset);
      gpu.write_point(at, {indices, indices, begin});
    };
    const auto each = [&](Code& at, const Code::LoopBody& body) {
      at.loop(
          const_i64(0), const_i64(kTile),
          [&](Code& here, const Operand& row) { body(here, here.add_i64(row, thread)); },
          kGroupThreads, LoopHint::kUnroll);
    };
    inner.branch(
        inner.less_i64(left, const_i64(kTile)),
        [&](Code& last) {
          each(last, [&](Code& at, const Operand& offset) {
            at.branch(at.less_i64(offset, left), [&](Code& here) { point(here, offset); });
          });
        },
        [&](Code& whole) { each(whole, point); });
  }
  add_launch(code, {group, thread, pieces(code, gpu.total, const_i64(kTile)),
                    const_i64(kGroupThreads), const_i64(0), inner.finish()});
}

}  // namespace skald::imp
