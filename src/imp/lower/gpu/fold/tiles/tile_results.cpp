// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/ir/sinks.h"
#include "imp/lower/gpu/fold/tiles/tile_kernel.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

using core::Sink;

void Tiles::store_point(Code& code, const GpuPoint& at, const Operand& offset) {
  const std::vector<Operand> values = staged_.load(code, offset);
  std::vector<Operand> outputs;
  for (const Monoid& monoid : monoids_.all()) {
    if (!monoid.is_scan) continue;
    // What was scanned has taken the place of what went in.
    const std::vector<Operand> scanned = kernel_.sink_values(*monoid.info, values);
    for (size_t v = 0; v < scanned.size(); ++v) {
      outputs.push_back(scanned[v]);
      if (kernel_.node.post.empty())
        kernel_.fn.store(code, kernel_.result_place(monoid.info->results + v), at.place,
                         scanned[v]);
    }
  }
  if (!kernel_.node.post.empty()) {
    for (const SinkInfo& info : kernel_.facts.sinks)
      if (info.sink->kind == Sink::kOut)
        for (const Operand& value : kernel_.sink_values(info, values)) outputs.push_back(value);
    outputs = kernel_.fn.apply(code, kernel_.node.post[0], outputs);
    gpu_.direct(code, at, outputs, true);
    for (size_t k = kernel_.facts.late_values; k < outputs.size(); ++k)
      kernel_.fn.store(
          code, kernel_.result_place(kernel_.facts.first_array + k - kernel_.facts.late_values),
          at.place, outputs[k]);
  }
  gpu_.direct(code, at, values);
  if (gpu_.is_seg()) store_segment(code, at, values);
}

// The last point of a segment has what reductions give.
void Tiles::store_segment(Code& code, const GpuPoint& at, const std::vector<Operand>& values) {
  if (!kernel_.facts.has(Sink::kReduce)) return;
  code.branch(walk_.lengths().ends(code, at), [&](Code& here) {
    for (const Monoid& monoid : monoids_.all()) {
      if (monoid.is_scan) continue;
      Accumulators total;
      for (const Operand& value : kernel_.sink_values(*monoid.info, values))
        total.push_back(*core::as_name(value));
      monoids_.store_total(here, monoid, at.indices[0], total);
    }
  });
}

// Those without points.
void Tiles::store_empty_segments(Code& code) {
  if (!gpu_.is_seg() || !kernel_.facts.has(Sink::kReduce)) return;
  launch_for(kernel_.fn, code, gpu_.segments, [&](Code& at, const Operand& segment) {
    const Operand from = gpu_.offset(at, segment);
    const Operand to = gpu_.offset(at, at.add_i64(segment, const_i64(1)));
    at.branch(
        at.less_i64(from, to), [](Code&) {},
        [&](Code& here) {
          for (const Monoid& monoid : monoids_.all())
            if (!monoid.is_scan)
              monoids_.store_total(here, monoid, segment, monoids_.start(here, monoid));
        });
  });
}

void Tiles::store_results(Code& code) {
  const bool any = std::ranges::any_of(kernel_.facts.sinks, [](const SinkInfo& info) {
    return info.sink->kind != Sink::kPartition && info.sink->kind != Sink::kReduce;
  });
  if (!any && !gpu_.is_seg()) return;
  walk_.start(code);
  walk_.each(code, kernel_.facts.straight, 0, staged_.row(),
             [&](Code& at, const Operand&, const GpuPoint& point, const Operand& offset) {
               staged_.if_present(at, offset,
                                  [&](Code& here) { store_point(here, point, offset); });
             });
}

void Tiles::store_totals(Code& code, Name thread, const Operand& tile, const TileState& before,
                         const TileState& own) {
  const bool any = std::ranges::any_of(monoids_.all(), [](const Monoid& m) { return !m.is_scan; });
  if (!any || gpu_.is_seg()) return;
  const Operand is_first = equals_i64(code, thread, const_i64(0));
  const Operand is_last = equals_i64(code, tile, code.sub_i64(tiles_, const_i64(1)));
  code.branch(code.both(is_first, is_last, "gives"), [&](Code& at) {
    const TileState all = states_.copy(at, before);
    states_.append(at, all, own);
    for (size_t k = 0; k < all.accs.size(); ++k)
      monoids_.store_total(at, monoids_.all()[k], const_i64(0), all.accs[k]);
  });
}

}  // namespace skald::imp
