// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/irregular/merge_path.h"

#include <algorithm>

#include "imp/lower/gpu/fold/tiles/tile_state.h"
#include "imp/lower/gpu/irregular/ragged_points.h"
#include "imp/lower/gpu/irregular/small_ints.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

using core::Sink;

namespace {

// Of the memory of a group, which every device has 32 KiB of.
constexpr int64_t kGroupBytes = 31 << 10;
// Points of a thread: more do not gain anything, fewer are not worth it.
constexpr int64_t kMostOfThread = 15, kLeastOfThread = 3;

// As points wait for their threads: small numbers that are added up take less room.
std::vector<Prim> staged_types(const GpuKernel& gpu, const Monoid& monoid) {
  std::vector<Prim> types;
  for (size_t v = 0; v < monoid.types.size(); ++v) {
    const core::Const* start = core::as_const(monoid.op->neutral[v]);
    const bool is_zero =
        start != nullptr && monoid.types[v] == Prim::kI64 && core::int_value(*start) == 0;
    types.push_back(is_zero ? kept_as(gpu.kernel.node.pull, monoid.info->values + v)
                            : monoid.types[v]);
  }
  return types;
}

// How many points of each thread fit.
int64_t points_of_thread(GpuKernel& gpu) {
  Monoids monoids(gpu);
  int64_t staged = 0;
  for (const Monoid& monoid : monoids.all())
    for (const Prim type : staged_types(gpu, monoid)) staged += prim_size(type);
  const int64_t of_point = staged * 17 / 16 + 1 + RaggedPoints::bytes(gpu);
  const int64_t of_warps = kGroupThreads / kWarpThreads * 2 * TileStates(monoids, true).bytes();
  const int64_t room = kGroupBytes - RaggedTile::kBytes - of_warps - 32 - 16;
  return std::min(kMostOfThread, room / (kGroupThreads * std::max<int64_t>(of_point, 1)));
}

// Where the value of a point of the tile lies.
Operand place_of(Code& code, const Monoid& monoid, const Operand& number) {
  int64_t widest = 0;
  for (const Prim type : monoid.types) widest = std::max<int64_t>(widest, prim_size(type));
  return as_wide(code, between_gaps(code, number, widest));
}

class MergePath {
 public:
  explicit MergePath(GpuKernel& gpu)
      : gpu_(gpu),
        monoids_(gpu),
        states_(monoids_, true),
        tile_points_(points_of_thread(gpu) * kGroupThreads),
        shares_(gpu),
        tile_(gpu, tile_points_),
        points_(gpu, tile_) {}

  void write(Code& code);

 private:
  void plan(Code& code);
  Launch launch(Code& code);
  void one_tile(Code& code, Name thread, const Operand& share, const TileState& carry);
  // The values of a point for monoid k, in the memory of the group.
  void stage(Code& code, size_t k, const Operand& number, const std::vector<Operand>& values);
  std::vector<Operand> staged_values(Code& code, size_t k, const Operand& number);
  void compute_points(Code& code, Name thread);
  // What the thread has after its last end; the first segment that ends on its path is kept.
  TileState walk_path(Code& code, const TileState& first, Name first_segment);
  void store_first(Code& code, const Operand& share, const TileState& before,
                   const TileState& first, Name first_segment);
  // All groups are done: the last one puts together what lies in several shares.
  void finish(Code& code, Name thread, const Operand& share, const TileState& carry);
  Operand is_last_group(Code& code, Name thread);
  void join_shares(Code& code, Name thread, const Operand& shares);
  // total = left, then right; of segments that end there
  void store_joined(Code& code, const Operand& segment, const TileState& left,
                    const TileState& right);

  GpuKernel& gpu_;
  Monoids monoids_;
  TileStates states_;
  const int64_t tile_points_;
  SegmentShares shares_;
  RaggedTile tile_;
  RaggedPoints points_;
  std::vector<Monoid> staged_;  // what points give, in the memory of the group
  // In the device's memory, for each share: what it has after its last end; what it has before its
  // first end, and of which segment that is.
  StatePlaces tails_, heads_;
  Name head_segments_ = {}, arrived_ = {};
};

void MergePath::plan(Code& code) {
  gpu_.count_points(code);
  shares_.plan(code);
  const bool has_arrays = std::ranges::any_of(
      gpu_.kernel.facts.sinks, [](const SinkInfo& info) { return info.sink->kind == Sink::kOut; });
  if (has_arrays) shares_.leave_none_empty(code, tile_points_);
  tile_.plan(code);
  tails_ = states_.on_device(code, shares_.count());
  heads_ = states_.on_device(code, shares_.count());
  head_segments_ =
      code.alloc(Space::kDevice, code.mul_i64(shares_.count(), const_i64(8)), "head_segments");
  arrived_ = code.alloc(Space::kDevice, const_i64(4), "arrived");
  code.add(Fill{Prim::kI32, arrived_, const_i64(0), const_i64(1), const_i32(0)});
}

// ---- a tile

void MergePath::stage(Code& code, size_t k, const Operand& number,
                      const std::vector<Operand>& values) {
  const Monoid& staged = staged_[k];
  const Operand place = place_of(code, staged, number);
  for (size_t v = 0; v < values.size(); ++v) {
    const Prim type = monoids_.all()[k].types[v];
    code.add(Store{staged.types[v], staged.partials[v], place,
                   as_type(code, type, staged.types[v], values[v])});
  }
}

std::vector<Operand> MergePath::staged_values(Code& code, size_t k, const Operand& number) {
  const Monoid& staged = staged_[k];
  std::vector<Operand> values = Monoids::load_values(code, staged, place_of(code, staged, number));
  for (size_t v = 0; v < values.size(); ++v)
    values[v] = as_type(code, staged.types[v], monoids_.all()[k].types[v], values[v]);
  return values;
}

void MergePath::compute_points(Code& code, Name thread) {
  const auto store = [&](Code& at, const Operand& number, const GpuPoint& point,
                         const std::vector<Operand>& values) {
    for (size_t k = 0; k < staged_.size(); ++k)
      stage(at, k, as_small(at, number), gpu_.kernel.sink_values(*staged_[k].info, values));
    gpu_.direct(at, point, values);
  };
  // Points that are not there change nothing.
  const auto absent = [&](Code& at, const Operand& number) {
    for (size_t k = 0; k < staged_.size(); ++k) {
      const Accumulators start = monoids_.start(at, monoids_.all()[k]);
      stage(at, k, as_small(at, number), {start.begin(), start.end()});
    }
  };
  points_.each(code, thread, store, absent);
}

TileState MergePath::walk_path(Code& code, const TileState& first, Name first_segment) {
  const TileState own = states_.start(code);
  tile_.walk(
      code,
      [&](Code& at, const Operand& number, const Operand&) {
        for (size_t k = 0; k < staged_.size(); ++k)
          monoids_.combine(at, monoids_.all()[k], own.accs[k], staged_values(at, k, number));
      },
      [&](Code& at, const Operand& number) {
        at.branch(
            small_equals(at, own.cut, 0),
            [&](Code& here) {
              states_.assign(here, first, own);
              here.add(Assign{first_segment, number});
            },
            [&](Code& here) {
              const Operand segment = tile_.segment(here, number);
              for (size_t k = 0; k < own.accs.size(); ++k)
                monoids_.store_total(here, monoids_.all()[k], segment, own.accs[k]);
            });
        states_.restart(at, own);
      });
  return own;
}

void MergePath::store_joined(Code& code, const Operand& segment, const TileState& left,
                             const TileState& right) {
  const TileState total = states_.start(code);
  states_.assign(code, total, left);
  for (size_t k = 0; k < total.accs.size(); ++k) {
    monoids_.combine(code, monoids_.all()[k], total.accs[k],
                     std::vector<Operand>(right.accs[k].begin(), right.accs[k].end()));
    monoids_.store_total(code, monoids_.all()[k], segment, total.accs[k]);
  }
}

// The first segment that ends on the path of a thread began on another one, or in another share.
void MergePath::store_first(Code& code, const Operand& share, const TileState& before,
                            const TileState& first, Name first_segment) {
  const Operand segment = tile_.segment(code, first_segment);
  code.branch(
      small_equals(code, before.cut, 0),
      [&](Code& at) {
        const TileState head = states_.start(at);
        states_.assign(at, head, before);
        for (size_t k = 0; k < head.accs.size(); ++k)
          monoids_.combine(at, monoids_.all()[k], head.accs[k],
                           std::vector<Operand>(first.accs[k].begin(), first.accs[k].end()));
        states_.store(at, heads_, share, head);
        at.add(Store{Prim::kI64, head_segments_, share, segment});
      },
      [&](Code& at) { store_joined(at, segment, before, first); });
}

void MergePath::one_tile(Code& code, Name thread, const Operand& share, const TileState& carry) {
  const bool early = !points_.needs_segments();
  if (early) compute_points(code, thread);
  tile_.find_segments(code);
  tile_.find_path(code);
  if (!early) {
    compute_points(code, thread);
    code.add(Barrier{});
  }
  const TileState first = states_.start(code);
  const Name first_segment = code.var(Prim::kI32, const_i32(0), "first_segment");
  const TileState own = walk_path(code, first, first_segment);
  const TileStates::Scanned scanned = states_.scan_threads(code, thread, own);
  const TileState before = states_.copy(code, carry);
  states_.append(code, before, scanned.before);
  code.branch(small_equals(code, own.cut, 1),
              [&](Code& at) { store_first(at, share, before, first, first_segment); });
  states_.append(code, carry, scanned.all);
}

// ---- shares

Operand MergePath::is_last_group(Code& code, Name thread) {
  const Name number = code.alloc(Space::kShared, const_i64(8), "number");
  code.branch(code.less_i64(thread, const_i64(1)), [&](Code& at) {
    const Name before = at.fresh("before");
    at.add(FetchAdd{before, Prim::kI32, arrived_, const_i64(0), const_i32(1)});
    at.add(Store{Prim::kI64, number, const_i64(0), as_wide(at, before)});
  });
  code.add(Barrier{});
  const Operand arrived = code.load(Prim::kI64, number, const_i64(0), "arrived");
  const Operand last = code.sub_i64(shares_.count(), const_i64(1));
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, arrived, last}, "is_last");
}

// A thread for some neighbouring shares.
void MergePath::join_shares(Code& code, Name thread, const Operand& shares) {
  const Operand each = pieces(code, shares_.count(), const_i64(kGroupThreads));
  const Operand begin = code.min_i64(code.mul_i64(thread, each), shares);
  const Operand end = code.min_i64(code.add_i64(begin, each), shares);
  const TileState own = states_.start(code);
  code.loop(begin, end, [&](Code& at, const Operand& share) {
    states_.append(at, own, states_.load(at, tails_, share, true));
  });
  const TileState before = states_.scan_threads(code, thread, own).before;
  code.loop(begin, end, [&](Code& at, const Operand& share) {
    const TileState tail = states_.load(at, tails_, share, true);
    at.branch(small_equals(at, tail.cut, 1), [&](Code& here) {
      const Name segment = here.fresh("segment");
      here.add(Load{segment, Prim::kI64, head_segments_, share, LaneAccess::kScalar, true});
      store_joined(here, segment, before, states_.load(here, heads_, share, true));
    });
    states_.append(at, before, tail);
  });
}

void MergePath::finish(Code& code, Name thread, const Operand& share, const TileState& carry) {
  code.branch(code.less_i64(thread, const_i64(1)),
              [&](Code& at) { states_.store(at, tails_, share, carry); });
  // Any thread may have stored what comes before the first end.
  code.add(Fence{});
  code.add(Barrier{});
  const Operand is_last = is_last_group(code, thread);
  code.add(Fence{});
  // The others do the same with nothing: no barrier may stand in a branch.
  join_shares(code, thread,
              code.let(Prim::kI64, core::Select{is_last, shares_.count(), const_i64(0)}, "joined"));
}

Launch MergePath::launch(Code& code) {
  const InKernel inside(gpu_.kernel.fn);
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  Code inner(code.program());
  staged_.clear();
  for (const Monoid& monoid : monoids_.all()) {
    Monoid staged = monoid;
    staged.types = staged_types(gpu_, monoid);
    staged_.push_back(in_shared_memory(inner, staged, with_gaps(tile_points_)));
  }
  points_.make_room(inner, tile_points_);
  const SegmentShares::Bounds bounds = shares_.find(inner, thread, group);
  const TileState carry = states_.start(inner);
  tile_.each(inner, thread, bounds, [&](Code& at) { one_tile(at, thread, group, carry); });
  finish(inner, thread, group, carry);
  // See fold/combine.cpp.
  inner.add(Barrier{});
  return {group, thread, shares_.count(), const_i64(kGroupThreads), const_i64(0), inner.finish()};
}

void MergePath::write(Code& code) {
  plan(code);
  add_launch(code, launch(code));
  states_.free(code, tails_);
  states_.free(code, heads_);
  code.add(Free{head_segments_});
  code.add(Free{arrived_});
}

}  // namespace

WhyNot why_no_merge_path(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (!gpu.is_seg()) return "all segments have one length";
  for (const SinkInfo& info : facts.sinks) {
    const Sink::Kind kind = info.sink->kind;
    if (kind != Sink::kReduce && kind != Sink::kOut && kind != Sink::kScatter)
      return "there is more than reductions";
    if (info.sink->late) return "a sink takes what was scanned";
  }
  if (operators_may_fail(gpu.kernel)) return "an operator may fail";
  if (points_of_thread(gpu) < kLeastOfThread)
    return "points have too many values for the memory of a group";
  return std::nullopt;
}

void write_merge_path(GpuKernel& gpu, Code& code, const Otherwise&) {
  MergePath(gpu).write(code);
}

}  // namespace skald::imp
