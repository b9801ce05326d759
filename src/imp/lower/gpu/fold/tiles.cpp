// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/tiles.h"

#include <algorithm>

#include "core/ir/sinks.h"
#include "imp/lower/gpu/fold/look_back.h"
#include "imp/lower/gpu/fold/member_tiles.h"
#include "imp/lower/gpu/fold/private_values.h"
#include "imp/lower/gpu/fold/staged_tile.h"
#include "imp/lower/gpu/fold/tile_members.h"
#include "imp/lower/gpu/fold/tile_walk.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

using core::Sink;

namespace {

// What a thread combines; it is in registers.
constexpr int64_t kMostStateBytes = 64, kFewStateBytes = 16;
// More statements are not written out for each point of a row.
constexpr size_t kCheapOperators = 32;

bool operators_are_cheap(const KernelWriter& kernel) {
  size_t statements = 0;
  for (const SinkInfo& info : kernel.facts.sinks)
    for (const core::Operator& op : info.sink->op) statements += op.fn.body.stmts.size();
  return statements <= kCheapOperators;
}

// Do all arrays lie as the points do?
bool lies_flat(const FunctionLowering& fn, const KernelFacts& facts) {
  return facts.dims.size() > 1 && is_elementwise(fn, facts, true);
}

class Tiles {
 public:
  explicit Tiles(GpuKernel& gpu)
      : gpu_(gpu),
        kernel_(gpu.kernel),
        monoids_(gpu),
        segmented_(gpu.kernel.facts.dims.size() > 1),
        states_(monoids_, segmented_),
        staged_(stage(gpu)),
        walk_(gpu, staged_.row(), lies_flat(gpu.kernel.fn, gpu.kernel.facts)),
        members_(gpu, monoids_, staged_.row()),
        unrolled_(operators_are_cheap(gpu.kernel)) {}

  // What the group keeps.
  static StagedTile stage(GpuKernel& gpu) {
    return {gpu.kernel,
            (gpu.is_seg() ? SegmentTile::kBytes : 0) + TileMembers::bytes_of(gpu.kernel)};
  }

  void write(Code& code);

 private:
  void plan(Code& code);
  Launch launch(Code& code, LookBack* look_back);
  void compute(Code& code, const Operand& begin);
  void compute_some(Code& code, int64_t from, int64_t to);
  // The points of this thread's row, one after the other, added to the state.
  using AfterPoint = std::function<void(Code&, const Operand& offset)>;
  void walk_row(Code& code, const TileState& state, const AfterPoint& then);
  // Has a new segment begun with this point?  `left` points of the last one, of `length` ones, were
  // left.
  void restart_segment(Code& code, const TileState& state, Name left, const Operand& length,
                       const Operand& offset);
  void replace(Code& code, const TileState& state, const Operand& offset);
  TileMembers::Values staged_members();
  void store_results(Code& code);
  void store_point(Code& code, const GpuPoint& at, const Operand& offset);
  void store_segment(Code& code, const GpuPoint& at, const std::vector<Operand>& values);
  void store_empty_segments(Code& code);
  // Of the last tile: the sizes of classes, and what reductions give.
  void store_totals(Code& code, Name thread, const Operand& tile, const TileState& before,
                    const TileState& own);

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  Monoids monoids_;
  const bool segmented_;
  TileStates states_;
  StagedTile staged_;
  TileWalk walk_;
  TileMembers members_;
  const bool unrolled_;  // are rows?
  Operand tile_points_ = const_i64(0), tile_segments_ = const_i64(0), tiles_ = const_i64(0);
};

void Tiles::plan(Code& code) {
  gpu_.count_points(code);
  walk_.plan(code);
  const Operand most = const_i64(staged_.points());
  tile_points_ = most;
  if (segmented_ && !gpu_.is_seg()) {
    // Whole segments, if several fit.
    tile_segments_ =
        code.binop(BinOpKind::kQuot, most, code.max_i64(gpu_.length, const_i64(1)), "fit");
    tile_points_ = code.let(Prim::kI64,
                            core::Select{code.less_i64(const_i64(3), tile_segments_),
                                         code.mul_i64(tile_segments_, gpu_.length), most},
                            "tile_points");
  }
  // One at least: somebody must say that there are no members.
  tiles_ = code.max_i64(pieces(code, gpu_.total, tile_points_), const_i64(1));
  monoids_.make_totals(code);
}

// Cheap points: as many at once as registers hold.
void Tiles::compute_some(Code& code, int64_t from, int64_t to) {
  const PrivateValues kept(code, kernel_, to - from);
  walk_.each(
      code, true, from, to, [&](Code& at, const Operand& k, const GpuPoint& point, const Operand&) {
        kernel_.point(
            at, point.indices,
            [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
              kept.store(here, here.sub_i64(k, const_i64(from)), values);
            });
      });
  walk_.each_offset(
      code, from, to,
      [&](Code& at, const Operand& k, const Operand& offset) {
        staged_.store(at, offset, kept.load(at, at.sub_i64(k, const_i64(from))));
      },
      [&](Code& at, const Operand&, const Operand& offset) { staged_.set_absent(at, offset); });
}

void Tiles::compute(Code& code, const Operand& begin) {
  const int64_t row = staged_.row(), most = PrivateValues::most_points(kernel_, row);
  if (most > 1) {
    walk_.start(code);
    for (int64_t from = 0; from < row; from += most)
      compute_some(code, from, std::min(from + most, row));
    return;
  }
  const Name position = code.var(Prim::kI64, const_i64(0), "position");
  Code tried(code.program());
  walk_.start(tried);
  walk_.each(
      tried, false, 0, row,
      [&](Code& at, const Operand&, const GpuPoint& point, const Operand& offset) {
        at.add(Assign{position, at.add_i64(begin, offset)});
        staged_.set_absent(at, offset);
        kernel_.point(
            at, point.indices,
            [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
              staged_.store(here, offset, values);
            });
      },
      [&](Code& at, const Operand&, const Operand& offset) { staged_.set_absent(at, offset); });
  code.add(Attempt{position, tried.finish()});
}

void Tiles::restart_segment(Code& code, const TileState& state, Name left, const Operand& length,
                            const Operand& offset) {
  if (gpu_.is_seg())
    return code.branch(walk_.lengths().begins(code, offset),
                       [&](Code& at) { states_.restart(at, state); });
  if (!segmented_) return;
  const Operand none = core::const_int(Prim::kI32, 0), one = core::const_int(Prim::kI32, 1);
  const Operand ended =
      code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI32, left, none}, "ended");
  code.branch(ended, [&](Code& at) {
    states_.restart(at, state);
    at.add(Assign{left, length});
  });
  code.add(Assign{
      left, code.let(Prim::kI32, core::BinOp{BinOpKind::kSub, Prim::kI32, left, one}, "left")});
}

void Tiles::walk_row(Code& code, const TileState& state, const AfterPoint& then) {
  Name left = {};
  Operand length = const_i64(0);
  if (segmented_ && !gpu_.is_seg()) {
    left = code.var(Prim::kI32, walk_.left_of_segment(code), "left");
    length = TileWalk::narrow_length(code, gpu_.length);
  }
  walk_.each_of_row(code, unrolled_, [&](Code& at, const Operand&, const Operand& offset) {
    restart_segment(at, state, left, length, offset);
    staged_.if_present(at, offset, [&](Code& here) {
      states_.add_point(here, state, staged_.load(here, offset));
      if (then) then(here, offset);
    });
  });
}

// What was scanned takes the place of what went in.  Reductions of segments are scans, of which the
// last point counts.
void Tiles::replace(Code& code, const TileState& state, const Operand& offset) {
  for (size_t k = 0; k < monoids_.all().size(); ++k) {
    const Monoid& monoid = monoids_.all()[k];
    if (!monoid.is_scan && (monoid.op == nullptr || !gpu_.is_seg())) continue;
    for (size_t v = 0; v < monoid.types.size(); ++v)
      staged_.store_value(code, monoid.info->values + v, offset, state.accs[k][v]);
  }
}

TileMembers::Values Tiles::staged_members() {
  return [&](Code& code, const Operand& k) {
    const Operand offset = walk_.offset(code, k);
    std::vector<Operand> values(kernel_.node.pull.results.size(), core::const_bool(true));
    for (const SinkInfo& info : kernel_.facts.sinks)
      if (info.sink->kind == Sink::kPartition)
        for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v)
          values[info.values + v] = staged_.load_value(code, info.values + v, offset);
    return values;
  };
}

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

// With a look back, or for tiles of whole segments.
Launch Tiles::launch(Code& code, LookBack* look_back) {
  const InKernel inside(kernel_.fn);
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  Code inner(code.program());
  const bool has_members = kernel_.facts.has(Sink::kPartition);
  staged_.make_room(inner);
  if (has_members) members_.make_room(inner);
  const Operand tile = look_back != nullptr ? look_back->take_tile(inner, thread) : Operand{group};
  const Operand begin = inner.mul_i64(tile, tile_points_);
  const Operand count = inner.min_i64(tile_points_, inner.sub_i64(gpu_.total, begin));
  const Operand segment = inner.mul_i64(tile, tile_segments_);
  walk_.begin(inner, thread, begin, count, look_back != nullptr ? nullptr : &segment);
  compute(inner, begin);
  inner.add(Barrier{});
  const TileState own = states_.start(inner);
  walk_row(inner, own, {});
  const auto [in_tile, all] = states_.scan_threads(inner, thread, own);
  if (has_members) {
    members_.count(inner, thread, staged_members());
    members_.pack(inner, thread, staged_members());
  }
  const TileState before =
      look_back != nullptr ? look_back->before(inner, thread, tile, all) : states_.start(inner);
  const TileState row = states_.copy(inner, before);
  states_.append(inner, row, in_tile);
  walk_row(inner, row, [&](Code& at, const Operand& offset) { replace(at, row, offset); });
  inner.add(Barrier{});
  store_results(inner);
  if (has_members) members_.store(inner, thread, before);
  store_totals(inner, thread, tile, before, all);
  return {group,        thread,
          tiles_,       const_i64(kGroupThreads),
          const_i64(0), inner.finish(),
          const_i64(0), states_.bytes() <= kFewStateBytes ? kGroupsAtOnce : 0};
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
  if (fits_member_tiles(gpu)) return std::nullopt;
  const Monoids monoids(gpu);
  if (bytes_of(monoids) > kMostStateBytes) return "too many values are combined";
  return Tiles::stage(gpu).why_not();
}

void write_tiles(GpuKernel& gpu, Code& code, const Otherwise&) {
  if (fits_member_tiles(gpu)) return write_member_tiles(gpu, code);
  Tiles(gpu).write(code);
}

}  // namespace skald::imp
