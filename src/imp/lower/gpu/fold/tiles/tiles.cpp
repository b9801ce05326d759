// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/tiles/tiles.h"

#include <algorithm>

#include "core/ir/sinks.h"
#include "imp/lower/gpu/fold/tiles/tile_kernel.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

using core::Sink;

namespace {

// What a thread combines; it is in registers.
constexpr int64_t kMostStateBytes = 64, kFewStateBytes = 16;
// Of the registers of a thread, for the values of the next tile; and fewer points are not worth it.
constexpr int64_t kNextBytes = 88, kFewestAhead = 3;
// Groups of a processor that read ahead: they have more registers for each thread.
constexpr int64_t kGroupsAhead = 4;
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

}  // namespace

Tiles::Tiles(GpuKernel& gpu)
    : gpu_(gpu),
      kernel_(gpu.kernel),
      monoids_(gpu),
      segmented_(gpu.kernel.facts.dims.size() > 1),
      states_(monoids_, segmented_),
      rooms_(rooms_of(gpu)),
      staged_(stage(gpu)),
      walk_(gpu, staged_.row(), lies_flat(gpu.kernel.fn, gpu.kernel.facts)),
      ahead_(walk_),
      members_(gpu, monoids_, staged_.row(), 1),
      unrolled_(operators_are_cheap(gpu.kernel)) {}

int64_t Tiles::rooms_of(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (PrivateValues::most_points(gpu.kernel, 2) < 2 || facts.dims.size() > 1 ||
      facts.has(Sink::kPartition))
    return 1;
  int64_t bytes = 0;
  for (const core::Ret& ret : gpu.kernel.node.pull.results) bytes += prim_size(ret.type.elem);
  const int64_t rooms = rooms_for(bytes);
  return StagedTile(gpu.kernel, 0, rooms, kNextBytes).row() < kFewestAhead ? 1 : rooms;
}

StagedTile Tiles::stage(GpuKernel& gpu) {
  return {gpu.kernel, (gpu.is_seg() ? SegmentTile::kBytes : 0) + TileMembers::bytes_of(gpu.kernel),
          rooms_of(gpu), kNextBytes};
}

int64_t Tiles::groups_at_once() const {
  if (states_.bytes() > kFewStateBytes || segmented_) return 0;
  return rooms_ > 1 ? kGroupsAhead : kGroupsAtOnce;
}

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

void Tiles::begin_tile(Code& code, TileWalk& walk, Name thread, const Operand& tile,
                       bool whole_segments) {
  const Operand begin = code.mul_i64(tile, tile_points_);
  const Operand count = code.min_i64(tile_points_, code.sub_i64(gpu_.total, begin));
  const Operand segment = code.mul_i64(tile, tile_segments_);
  walk.begin(code, thread, begin, count, whole_segments ? &segment : nullptr);
}

TileStates::Scanned Tiles::reduce_tile(Code& code, Name thread,
                                       const std::function<void(Code&)>& meanwhile) {
  const TileState own = states_.start(code);
  walk_row(code, own, {});
  if (meanwhile) meanwhile(code);
  const TileStates::Scanned found = states_.scan_threads(code, thread, own);
  if (!kernel_.facts.has(Sink::kPartition)) return found;
  members_.count(code, thread, staged_members());
  members_.pack(code, thread, staged_members());
  return found;
}

void Tiles::finish_tile(Code& code, Name thread, const Operand& tile, const TileState& before,
                        const TileStates::Scanned& found) {
  const TileState row = states_.copy(code, before);
  states_.append(code, row, found.before);
  walk_row(code, row, [&](Code& at, const Operand& offset) { replace(at, row, offset); });
  code.add(Barrier{});
  store_results(code);
  if (kernel_.facts.has(Sink::kPartition)) members_.store(code, thread, before, found.all);
  store_totals(code, thread, tile, before, found.all);
}

Launch Tiles::launch(Code& code, LookBack* look_back) {
  const InKernel inside(kernel_.fn);
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  Code inner(code.program());
  make_room(inner);
  const Operand tile = look_back != nullptr ? look_back->take_tile(inner, thread) : Operand{group};
  begin_tile(inner, walk_, thread, tile, look_back == nullptr);
  compute(inner);
  inner.add(Barrier{});
  const TileStates::Scanned found = reduce_tile(inner, thread, {});
  if (look_back != nullptr) look_back->say(inner, thread, tile, found.all);
  const TileState before =
      look_back != nullptr ? look_back->before(inner, thread, tile) : states_.start(inner);
  finish_tile(inner, thread, tile, before, found);
  return {group,        thread,         tiles_,       const_i64(kGroupThreads),
          const_i64(0), inner.finish(), const_i64(0), groups_at_once()};
}

Launch Tiles::launch_ahead(Code& code, LookBack& look_back) {
  const InKernel inside(kernel_.fn);
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  Code inner(code.program());
  make_room(inner);
  const int64_t row = staged_.row();
  const PrivateValues kept(inner, kernel_, row);
  const Name next = inner.var(Prim::kI64, look_back.take_tile(inner, thread), "next");
  begin_tile(inner, ahead_, thread, next, false);
  ahead_.start(inner);
  load_points(inner, ahead_, 0, row, kept);
  // Those that have been said, the oldest one first; there is none before tile 0.
  struct Said {
    Name tile;
    TileStates::Scanned found;
  };
  std::vector<Said> said;
  for (int64_t k = 0; k + 1 < rooms_; ++k)
    said.push_back({inner.var(Prim::kI64, const_i64(-1), "said"),
                    {states_.start(inner), states_.start(inner)}});
  const Name room = inner.var(Prim::kI64, const_i64(0), "room");
  const Name more = inner.var(Prim::kBool, core::const_bool(true), "more");
  Code round(code.program());
  const Operand newest = round.let(Prim::kI64, core::Value{next}, "newest");
  staged_.choose(round, room);
  begin_tile(round, walk_, thread, newest, false);
  stage_points(round, 0, row, kept);
  round.add(Assign{next, look_back.take_tile(round, thread)});
  const TileStates::Scanned found = reduce_tile(round, thread, [&](Code& at) {
    begin_tile(at, ahead_, thread, next, false);
    ahead_.start(at);
    load_points(at, ahead_, 0, row, kept);
  });
  look_back.say(round, thread, newest, found.all);
  const Operand after = round.add_i64(room, const_i64(1));
  const Operand wraps = round.less_i64(after, const_i64(rooms_));
  const Operand oldest_room =
      round.let(Prim::kI64, core::Select{wraps, after, const_i64(0)}, "oldest_room");
  round.add(Assign{room, oldest_room});
  finish_said(round, thread, said[0].tile, said[0].found, look_back, oldest_room);
  for (size_t k = 0; k < said.size(); ++k) {
    const bool last = k + 1 == said.size();
    round.add(Assign{said[k].tile, last ? newest : Operand{said[k + 1].tile}});
    const TileStates::Scanned& from = last ? found : said[k + 1].found;
    states_.assign(round, said[k].found.before, from.before);
    states_.assign(round, said[k].found.all, from.all);
  }
  round.add(Assign{more, round.less_i64(said[0].tile, tiles_)});
  round.add(Barrier{});
  inner.add(While{more, round.finish()});
  const Operand groups = code.min_i64(tiles_, const_i64(kMostGroups));
  return {group,        thread,         groups,       const_i64(kGroupThreads),
          const_i64(0), inner.finish(), const_i64(0), groups_at_once()};
}

// In the first rounds there is no such tile yet: what comes before the first one is asked for,
// which nobody waits for, and it has no points.
void Tiles::finish_said(Code& code, Name thread, Name said, const TileStates::Scanned& found,
                        LookBack& look_back, const Operand& room) {
  const Operand tile = code.max_i64(said, const_i64(0));
  const Operand begin = code.mul_i64(tile, tile_points_);
  const Operand count = code.min_i64(tile_points_, code.sub_i64(gpu_.total, begin));
  const Operand is_there = code.less_i64(const_i64(-1), said);
  walk_.begin(code, thread, begin,
              code.let(Prim::kI64, core::Select{is_there, count, const_i64(0)}, "count"), nullptr);
  staged_.choose(code, room);
  const TileState before = look_back.before(code, thread, tile);
  finish_tile(code, thread, said, before, found);
}

void Tiles::make_room(Code& code) {
  staged_.make_room(code);
  if (kernel_.facts.has(Sink::kPartition)) members_.make_room(code);
}

void Tiles::write(Code& code) {
  plan(code);
  const auto with_look_back = [&](Code& at) {
    LookBack look_back(at, states_, tiles_);
    add_launch(at, rooms_ > 1 ? launch_ahead(at, look_back) : launch(at, &look_back));
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
  const Monoids monoids(gpu);
  if (bytes_of(monoids) > kMostStateBytes) return "too many values are combined";
  return Tiles::stage(gpu).why_not();
}

void write_tiles(GpuKernel& gpu, Code& code, const Otherwise&) {
  Tiles(gpu).write(code);
}

}  // namespace skald::imp
