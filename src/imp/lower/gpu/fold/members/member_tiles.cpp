// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/members/member_tiles.h"

#include <algorithm>

#include "core/ir/sinks.h"
#include "imp/lower/gpu/fold/members/count_look_back.h"
#include "imp/lower/gpu/fold/members/member_counts.h"
#include "imp/lower/gpu/fold/tiles/look_back.h"
#include "imp/lower/gpu/fold/tiles/tile_members.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

using core::Sink;

namespace {

// Points of a thread that are worth it.
constexpr int64_t kFewestPoints = 4;
constexpr size_t kMostKeptStatements = 48;
// How many tiles of a group are packed at once, the first of which waits for those before it.
constexpr int64_t kTilesAtOnce = 2;
// Groups of a processor, so that threads have enough registers: with one class to count, or more.
constexpr int64_t kGroupsForOne = 5, kGroupsForMore = 4;

class MemberTiles {
 public:
  explicit MemberTiles(GpuKernel& gpu)
      : gpu_(gpu),
        kernel_(gpu.kernel),
        monoids_(gpu),
        points_(gpu, monoids_, kTilesAtOnce),
        counts_(gpu, points_, kTilesAtOnce) {}

  void write(Code& code);

 private:
  // A tile that has been said: its number, and what it has.
  struct Said {
    Name tile;
    std::vector<Name> own;
  };
  // A group takes several tiles, one after the other: when the members of one are packed and said
  // the next one is computed, and then one that was packed in an earlier round is stored.
  Launch launch(Code& code, CountLookBack& look_back, const Operand& tiles);
  void store(Code& code, Name thread, const Said& said, CountLookBack& look_back,
             const Operand& tiles);

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  Monoids monoids_;
  MemberPoints points_;
  MemberCounts counts_;
};

// Stores what was packed.  In the first rounds there is no such tile yet: what comes before the
// first one is asked for, which nobody waits for, and it has no members.
void MemberTiles::store(Code& code, Name thread, const Said& said, CountLookBack& look_back,
                        const Operand& tiles) {
  const PackedCounts own(said.own.begin(), said.own.end());
  const Operand tile = code.max_i64(said.tile, const_i64(0));
  const std::vector<Operand> before = look_back.before(code, thread, tile, own);
  const std::vector<Operand> has = counts_.fields(code, own);
  const Operand is_there = code.less_i64(const_i64(-1), said.tile);
  const Operand count = code.let(
      Prim::kI64, core::Select{is_there, points_.count(code, tile), const_i64(0)}, "count");
  const Operand points_before = code.mul_i64(tile, const_i64(points_.points()));
  counts_.store(code, thread, before, has, points_before, count);
  const Operand is_last = equals_i64(code, said.tile, code.sub_i64(tiles, const_i64(1)));
  const Operand is_first = equals_i64(code, thread, const_i64(0));
  code.branch(code.both(is_first, is_last, "gives"), [&](Code& at) {
    for (size_t p = 0; p < points_.parts().size(); ++p)
      for (size_t c = 0; c < points_.parts()[p].monoids.size(); ++c) {
        const Operand earlier = counts_.of_class(at, p, c, before, points_before);
        const Operand sum = at.add_i64(earlier, counts_.of_class(at, p, c, has, count));
        const Monoid& monoid = monoids_.all()[points_.parts()[p].monoids[c]];
        monoids_.store_total(at, monoid, const_i64(0), {at.var(Prim::kI64, sum, "total")});
      }
  });
}

Launch MemberTiles::launch(Code& code, CountLookBack& look_back, const Operand& tiles) {
  const InKernel inside(kernel_.fn);
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  Code inner(code.program());
  points_.make_room(inner);
  counts_.make_room(inner);
  const Name asked = look_back.ask_tile(inner, thread);
  inner.add(Barrier{});
  const Name next = inner.var(Prim::kI64, CountLookBack::asked_tile(inner, asked), "next");
  points_.compute(inner, thread, next);
  // The oldest one first.
  std::vector<Said> said;
  for (int64_t k = 0; k + 1 < kTilesAtOnce; ++k) {
    said.push_back({inner.var(Prim::kI64, const_i64(-1), "said"), {}});
    for (int64_t w = 0; w < packed_words(counts_.classes()); ++w)
      said.back().own.push_back(inner.var(Prim::kI64, const_i64(0), "has"));
  }
  const Name room = inner.var(Prim::kI64, const_i64(0), "room");
  const Name more = inner.var(Prim::kBool, core::const_bool(true), "more");
  Code round(code.program());
  const Operand newest = round.let(Prim::kI64, core::Value{next}, "newest");
  counts_.choose(round, room);
  counts_.count(round, thread);
  const Name asks = look_back.ask_tile(round, thread);
  round.add(Barrier{});
  round.add(Assign{next, CountLookBack::asked_tile(round, asks)});
  const PackedCounts all = counts_.all(round, thread);
  look_back.say(round, thread, newest, all);
  counts_.pack(round, thread, all, points_.count(round, newest));
  points_.compute(round, thread, next);
  const Operand after = round.add_i64(room, const_i64(1));
  const Operand wraps = round.less_i64(after, const_i64(kTilesAtOnce));
  round.add(
      Assign{room, round.let(Prim::kI64, core::Select{wraps, after, const_i64(0)}, "oldest_room")});
  counts_.choose(round, room);
  store(round, thread, said[0], look_back, tiles);
  for (size_t k = 0; k < said.size(); ++k) {
    const bool last = k + 1 == said.size();
    round.add(Assign{said[k].tile, last ? newest : Operand{said[k + 1].tile}});
    for (size_t w = 0; w < said[k].own.size(); ++w)
      round.add(Assign{said[k].own[w], last ? all[w] : Operand{said[k + 1].own[w]}});
  }
  round.add(Assign{more, round.less_i64(said[0].tile, tiles)});
  round.add(Barrier{});
  inner.add(While{more, round.finish()});
  const Operand groups = code.min_i64(tiles, const_i64(kMostGroups));
  return {group,        thread,
          groups,       const_i64(kGroupThreads),
          const_i64(0), inner.finish(),
          const_i64(0), counts_.classes() == 1 ? kGroupsForOne : kGroupsForMore};
}

void MemberTiles::write(Code& code) {
  gpu_.count_points(code);
  // One at least: somebody must say that there are no members.
  const Operand tiles =
      code.max_i64(pieces(code, gpu_.total, const_i64(points_.points())), const_i64(1));
  monoids_.make_totals(code);
  CountLookBack look_back(code, counts_.classes(), tiles);
  add_launch(code, launch(code, look_back, tiles));
  look_back.free(code);
  monoids_.read_totals(code, false);
  monoids_.free_totals(code);
}

}  // namespace

WhyNot why_not_member_tiles(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (!facts.has(Sink::kPartition)) return "there is no partition";
  if (!facts.straight || !facts.node.post.empty()) return "points are more than straight code";
  if (facts.dims.size() != 1 || gpu.is_seg()) return "there are rows";
  if (facts.node.pull.body.stmts.size() > kMostKeptStatements) return "points cost too much";
  const bool only = std::ranges::all_of(facts.sinks, [](const SinkInfo& info) {
    const Sink::Kind kind = info.sink->kind;
    return kind == Sink::kPartition || kind == Sink::kOut || kind == Sink::kScatter;
  });
  if (!only) return "sinks other than partitions, arrays and scatters";
  if (TileMembers::classes_of(gpu.kernel) > kMostClasses) return "too many classes";
  if (MemberPoints::most_points(gpu.kernel, kTilesAtOnce) < kFewestPoints)
    return "members have too many values";
  return std::nullopt;
}

void write_member_tiles(GpuKernel& gpu, Code& code, const Otherwise&) {
  MemberTiles(gpu).write(code);
}

}  // namespace skald::imp
