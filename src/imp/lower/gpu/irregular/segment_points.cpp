// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/irregular/segment_points.h"

#include "imp/lower/gpu/irregular/ragged_points.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

using core::Sink;

namespace {

constexpr int64_t kPointsOfRaggedThread = 8;
constexpr int64_t kTilePoints = kPointsOfRaggedThread * kGroupThreads;

}  // namespace

WhyNot why_no_segment_points(GpuKernel& gpu) {
  if (!gpu.is_seg()) return "all segments have one length";
  for (const SinkInfo& info : gpu.kernel.facts.sinks)
    if (info.sink->kind != Sink::kOut && info.sink->kind != Sink::kScatter)
      return "sinks other than arrays and scatters";
  for (const core::Ret& ret : gpu.kernel.node.pull.results)
    if (ret.type.is_array()) return "points give arrays";
  return std::nullopt;
}

void write_segment_points(GpuKernel& gpu, Code& code, const Otherwise&) {
  gpu.count_points(code);
  SegmentShares shares(gpu);
  RaggedTile tile(gpu, kTilePoints);
  RaggedPoints points(gpu, tile);
  shares.plan(code);
  shares.leave_none_empty(code, kTilePoints);
  tile.plan(code);
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  Code inner(code.program());
  {
    const InKernel inside(gpu.kernel.fn);
    points.make_room(inner, kTilePoints);
    const SegmentShares::Bounds bounds = shares.find(inner, thread, group);
    tile.each(inner, thread, bounds, [&](Code& at) {
      tile.find_segments(at);
      tile.find_path(at);
      points.each(at, thread,
                  [&](Code& here, const Operand&, const GpuPoint& point,
                      const std::vector<Operand>& values) { gpu.direct(here, point, values); });
    });
    // See fold/combine.cpp.
    inner.add(Barrier{});
  }
  add_launch(code, {group, thread, shares.count(), const_i64(kGroupThreads), const_i64(0),
                    inner.finish()});
}

}  // namespace skald::imp
