// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/tiles.h"

#include <algorithm>

#include "core/ir/sinks.h"
#include "imp/lower/gpu/fold/look_back.h"
#include "imp/lower/gpu/fold/private_values.h"
#include "imp/lower/gpu/fold/segment_tile.h"
#include "imp/lower/gpu/fold/staged_tile.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/tile_points.h"

namespace skald::imp {

using core::Sink;

namespace {

class Tiles {
 public:
  explicit Tiles(GpuKernel& gpu)
      : gpu_(gpu),
        kernel_(gpu.kernel),
        monoids_(gpu),
        segmented_(gpu.kernel.facts.dims.size() > 1),
        states_(monoids_, segmented_),
        staged_(stage(gpu, states_)),
        lengths_(gpu, staged_.row()) {}

  // What the group keeps.
  static StagedTile stage(GpuKernel& gpu, const TileStates& states) {
    return {gpu.kernel, gpu.is_seg() ? SegmentTile::kBytes : 0, 2 * states.bytes() + 4};
  }

  void write(Code& code);

 private:
  // The point that lies so far after the first one of the tile.
  using PointAt = std::function<GpuPoint(Code&, const Operand& offset)>;

  void plan(Code& code);
  Launch launch(Code& code, LookBack* look_back);
  // Points in turn: neighbouring threads have neighbouring ones.
  void in_turn(Code& code, const Operand& thread, const Operand& count,
               const Code::LoopBody& body) const;
  void compute(Code& code, const PointAt& points, const Operand& thread, const Operand& begin,
               const Operand& count);
  void compute_whole(Code& code, const PointAt& points, const Operand& thread);
  // The points of a thread's row, one after the other, added to the state.
  void walk_row(Code& code, const TileState& state, const Operand& thread, const Operand& begin,
                const Operand& count,
                const std::function<void(Code&, const Operand& offset)>& then);
  void store_results(Code& code, const PointAt& points, const Operand& thread, const Operand& count,
                     const TileState& before);
  void store_point(Code& code, const GpuPoint& at, const Operand& offset, const TileState& before);
  void store_segment(Code& code, const GpuPoint& at, const std::vector<Operand>& values);
  void store_empty_segments(Code& code);
  void collect(Code& code, const SinkInfo& info, const std::vector<Operand>& values,
               const Operand& offset, const TileState& before);
  // Of the last tile: the sizes of classes, and what reductions give.
  void store_totals(Code& code, const Operand& thread, const Operand& is_last,
                    const TileState& before, const StatePlaces& places);

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  Monoids monoids_;
  const bool segmented_;
  TileStates states_;
  StagedTile staged_;
  SegmentTile lengths_;  // of segments with different ones
  Operand tile_points_ = const_i64(0), tiles_ = const_i64(0);
};

void Tiles::plan(Code& code) {
  gpu_.count_points(code);
  const Operand most = const_i64(staged_.points());
  tile_points_ = most;
  if (segmented_ && !gpu_.is_seg()) {
    // Whole segments, if several fit.
    const Operand fit =
        code.binop(BinOpKind::kQuot, most, code.max_i64(gpu_.length, const_i64(1)), "fit");
    tile_points_ = code.let(
        Prim::kI64,
        core::Select{code.less_i64(const_i64(3), fit), code.mul_i64(fit, gpu_.length), most},
        "tile_points");
  }
  // One at least: somebody must say that there are no members.
  tiles_ = code.max_i64(pieces(code, gpu_.total, tile_points_), const_i64(1));
  monoids_.make_totals(code);
}

void Tiles::in_turn(Code& code, const Operand& thread, const Operand& count,
                    const Code::LoopBody& body) const {
  const LoopHint hint = kernel_.facts.straight ? LoopHint::kUnroll : LoopHint::kNone;
  const auto each = [&](Code& at, const Code::LoopBody& inside) {
    at.loop(
        const_i64(0), const_i64(staged_.points()),
        [&](Code& here, const Operand& row) { inside(here, here.add_i64(row, thread)); },
        kGroupThreads, hint);
  };
  const auto guarded = [&](Code& at) {
    each(at, [&](Code& here, const Operand& offset) {
      here.branch(here.less_i64(offset, count), [&](Code& inside) { body(inside, offset); });
    });
  };
  if (!kernel_.facts.straight) return guarded(code);
  code.branch(code.less_i64(count, const_i64(staged_.points())), guarded,
              [&](Code& whole) { each(whole, body); });
}

// Whole tiles: as many points at once as registers hold.
void Tiles::compute_whole(Code& code, const PointAt& points, const Operand& thread) {
  const int64_t most = PrivateValues::most_points(kernel_, staged_.row());
  for (int64_t row = 0; row < staged_.row(); row += most) {
    const int64_t count = std::min(most, staged_.row() - row);
    const PrivateValues kept(code, kernel_, count);
    const auto each = [&](const std::function<void(Code&, const Operand&, const Operand&)>& body) {
      code.loop(
          const_i64(0), const_i64(count),
          [&](Code& at, const Operand& k) {
            const Operand rows =
                at.mul_i64(at.add_i64(k, const_i64(row)), const_i64(kGroupThreads));
            body(at, k, at.add_i64(rows, thread));
          },
          1, LoopHint::kUnroll);
    };
    each([&](Code& at, const Operand& k, const Operand& offset) {
      kernel_.point(at, points(at, offset).indices,
                    [&](Code& here, const std::vector<Operand>&,
                        const std::vector<Operand>& values) { kept.store(here, k, values); });
    });
    each([&](Code& at, const Operand& k, const Operand& offset) {
      staged_.store(at, offset, kept.load(at, k));
    });
  }
}

void Tiles::compute(Code& code, const PointAt& points, const Operand& thread, const Operand& begin,
                    const Operand& count) {
  const Name position = code.var(Prim::kI64, const_i64(0), "position");
  Code tried(code.program());
  const auto one = [&](Code& at, const Operand& offset) {
    if (!kernel_.facts.straight) at.add(Assign{position, at.add_i64(begin, offset)});
    staged_.set_absent(at, offset);
    kernel_.point(at, points(at, offset).indices,
                  [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                    staged_.store(here, offset, values);
                  });
  };
  const auto some = [&](Code& at) { at.loop(thread, count, one, kGroupThreads); };
  if (PrivateValues::most_points(kernel_, staged_.row()) > 1)
    tried.branch(tried.less_i64(count, const_i64(staged_.points())), some,
                 [&](Code& whole) { compute_whole(whole, points, thread); });
  else
    some(tried);
  code.add(Attempt{position, tried.finish()});
}

void Tiles::walk_row(Code& code, const TileState& state, const Operand& thread,
                     const Operand& begin, const Operand& count,
                     const std::function<void(Code&, const Operand& offset)>& then) {
  const Operand row = const_i64(staged_.row());
  const Operand first = code.mul_i64(thread, row);
  // The place in the segment.
  Name within = {};
  if (segmented_ && !gpu_.is_seg()) {
    const std::vector<Operand> shape = {gpu_.segments, gpu_.length};
    const TilePoints points(code, begin, shape);
    within = code.var(Prim::kI64, points.at(code, first)[1], "within");
  }
  const auto step = [&](Code& at, const Operand& offset) {
    if (gpu_.is_seg()) {
      at.branch(lengths_.begins(at, offset), [&](Code& here) { states_.restart(here, state); });
    } else if (segmented_) {
      const Operand starts = at.less_i64(within, const_i64(1));
      at.branch(starts, [&](Code& here) { states_.restart(here, state); });
      const Operand next = at.add_i64(within, const_i64(1));
      const Operand wraps = at.less_i64(next, gpu_.length);
      at.add(Assign{within, at.let(Prim::kI64, core::Select{wraps, next, const_i64(0)}, "within")});
    }
    staged_.if_present(at, offset, [&](Code& here) {
      states_.add_point(here, state, staged_.load(here, offset));
      if (then) then(here, offset);
    });
  };
  const auto some = [&](Code& at) {
    at.loop(first, at.min_i64(at.add_i64(first, row), count), step);
  };
  if (!kernel_.facts.straight) return some(code);
  code.branch(code.less_i64(count, const_i64(staged_.points())), some, [&](Code& whole) {
    whole.loop(
        const_i64(0), row, [&](Code& at, const Operand& k) { step(at, at.add_i64(first, k)); }, 1,
        LoopHint::kUnroll);
  });
}

void Tiles::collect(Code& code, const SinkInfo& info, const std::vector<Operand>& values,
                    const Operand& offset, const TileState& before) {
  const auto classes = static_cast<size_t>(info.sink->classes);
  const auto row_values = static_cast<size_t>(info.sink->count) - 1;
  const Operand rank = staged_.rank(code, info, offset);
  for (size_t k = 0; k < monoids_.all().size(); ++k) {
    const Monoid& monoid = monoids_.all()[k];
    if (monoid.info != &info || monoid.op != nullptr) continue;
    const Operand member = monoids_.is_member(code, monoid, values);
    code.branch(member, [&](Code& at) {
      const Operand place = at.add_i64(before.accs[k][0], rank);
      for (size_t v = 0; v < row_values; ++v)
        kernel_.fn.store(
            at, kernel_.result_place(info.results + classes + monoid.member_class * row_values + v),
            {place}, values[info.values + 1 + v]);
    });
  }
}

void Tiles::store_point(Code& code, const GpuPoint& at, const Operand& offset,
                        const TileState& before) {
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
  for (const SinkInfo& info : kernel_.facts.sinks)
    if (info.sink->kind == Sink::kPartition) collect(code, info, values, offset, before);
  gpu_.direct(code, at, values);
  if (gpu_.is_seg()) store_segment(code, at, values);
}

// The last point of a segment has what reductions give.
void Tiles::store_segment(Code& code, const GpuPoint& at, const std::vector<Operand>& values) {
  if (!kernel_.facts.has(Sink::kReduce)) return;
  code.branch(lengths_.ends(code, at), [&](Code& here) {
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

void Tiles::store_results(Code& code, const PointAt& points, const Operand& thread,
                          const Operand& count, const TileState& before) {
  in_turn(code, thread, count, [&](Code& at, const Operand& offset) {
    staged_.if_present(
        at, offset, [&](Code& here) { store_point(here, points(here, offset), offset, before); });
  });
}

void Tiles::store_totals(Code& code, const Operand& thread, const Operand& is_last,
                         const TileState& before, const StatePlaces& places) {
  const bool any = std::ranges::any_of(monoids_.all(), [](const Monoid& m) { return !m.is_scan; });
  if (!any) return;
  const Operand is_one =
      code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, thread, const_i64(0)}, "one");
  code.branch(code.both(is_one, is_last, "gives"), [&](Code& at) {
    const TileState all = states_.start(at);
    states_.assign(at, all, before);
    states_.append(at, all, states_.load(at, places, const_i64(kGroupThreads - 1)));
    for (size_t k = 0; k < all.accs.size(); ++k)
      monoids_.store_total(at, monoids_.all()[k], const_i64(0), all.accs[k]);
  });
}

// With a look back, or for tiles of whole segments.
Launch Tiles::launch(Code& code, LookBack* look_back) {
  const InKernel inside(kernel_.fn);
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  Code inner(code.program());
  staged_.make_room(inner);
  const StatePlaces rows = states_.in_shared(inner, kGroupThreads);
  const Operand tile = look_back != nullptr ? look_back->take_tile(inner, thread) : Operand{group};
  const Operand begin = inner.mul_i64(tile, tile_points_);
  const Operand count = inner.min_i64(tile_points_, inner.sub_i64(gpu_.total, begin));
  std::optional<TilePoints> grid;
  if (gpu_.is_seg())
    lengths_.find(inner, thread, begin, count);
  else
    grid.emplace(inner, begin, kernel_.facts.dims);
  const PointAt points = [&](Code& at, const Operand& offset) -> GpuPoint {
    if (!grid) return lengths_.point(at, offset);
    const std::vector<Operand> indices = grid->at(at, offset);
    return {indices, indices, offset};
  };
  compute(inner, points, thread, begin, count);
  inner.add(Barrier{});
  {
    const TileState row = states_.start(inner);
    walk_row(inner, row, thread, begin, count, {});
    states_.store(inner, rows, thread, row);
  }
  inner.add(Barrier{});
  states_.scan(inner, thread, rows, const_i64(kGroupThreads));
  const TileState before = look_back != nullptr ? look_back->before(inner, thread, tile, rows,
                                                                    const_i64(kGroupThreads - 1))
                                                : states_.start(inner);
  // What comes before the row of this thread: in the tile for members, in all for scans.
  const TileState in_tile = states_.start(inner);
  inner.branch(inner.less_i64(const_i64(0), thread), [&](Code& at) {
    states_.assign(at, in_tile, states_.load(at, rows, at.sub_i64(thread, const_i64(1))));
  });
  const TileState row = states_.start(inner);
  states_.assign(inner, row, before);
  states_.append(inner, row, in_tile);
  for (size_t k = 0; k < monoids_.all().size(); ++k)
    if (monoids_.all()[k].op == nullptr) inner.add(Assign{row.accs[k][0], in_tile.accs[k][0]});
  walk_row(inner, row, thread, begin, count, [&](Code& at, const Operand& offset) {
    staged_.replace(at, offset, monoids_, row, gpu_.is_seg());
  });
  inner.add(Barrier{});
  store_results(inner, points, thread, count, before);
  const Operand is_last = inner.let(
      Prim::kBool,
      core::CmpOp{CmpOpKind::kEq, Prim::kI64, tile, inner.sub_i64(tiles_, const_i64(1))}, "last");
  if (!gpu_.is_seg()) store_totals(inner, thread, is_last, before, rows);
  return {group, thread, tiles_, const_i64(kGroupThreads), const_i64(0), inner.finish()};
}

void Tiles::write(Code& code) {
  plan(code);
  const auto with_look_back = [&](Code& at) {
    LookBack look_back(at, states_, tiles_);
    add_launch(at, launch(at, &look_back));
    look_back.free(at);
  };
  store_empty_segments(code);
  if (!segmented_ || gpu_.is_seg()) {
    with_look_back(code);
  } else {
    code.branch(code.less_i64(const_i64(staged_.points()), code.mul_i64(gpu_.length, const_i64(4))),
                with_look_back, [&](Code& at) { add_launch(at, launch(at, nullptr)); });
  }
  monoids_.read_totals(code, false);
  monoids_.free_totals(code);
}

}  // namespace

WhyNot why_not_tiles(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (operators_may_fail(gpu.kernel)) return "an operator may fail";
  for (const SinkInfo& info : facts.sinks) {
    const Sink::Kind kind = info.sink->kind;
    if (kind == Sink::kHist) return "there are histograms";
    const bool folds = kind == Sink::kReduce || kind == Sink::kScan || kind == Sink::kPartition;
    if (folds && info.sink->late) return "a sink takes what was scanned";
    if (kind == Sink::kPartition && facts.dims.size() > 1) return "partitions of rows";
    if (kind == Sink::kReduce && facts.dims.size() > 1 && !gpu.is_seg())
      return "there are scans and reductions of rows";
  }
  Monoids monoids(gpu);
  return Tiles::stage(gpu, TileStates(monoids, facts.dims.size() > 1)).why_not();
}

void write_tiles(GpuKernel& gpu, Code& code, const Otherwise&) {
  Tiles(gpu).write(code);
}

}  // namespace skald::imp
