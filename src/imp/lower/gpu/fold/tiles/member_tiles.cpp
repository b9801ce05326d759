// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/tiles/member_tiles.h"

#include <algorithm>

#include "core/ir/sinks.h"
#include "imp/lower/gpu/fold/tiles/look_back.h"
#include "imp/lower/gpu/fold/tiles/tile_members.h"
#include "imp/lower/gpu/fold/tiles/tile_walk.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

using core::Sink;

namespace {

// Of the registers of a thread, for the values of its points; and points that are worth it.
constexpr int64_t kKeptBytes = 64, kFewestPoints = 4;
// Of the memory of a group, which every device has 32 KiB of.
constexpr int64_t kPackedBytes = 28 << 10;
constexpr size_t kMostKeptStatements = 48;

int64_t points_of_thread(const KernelWriter& kernel, int64_t tiles) {
  const int64_t bytes = std::max<int64_t>(TileMembers::bytes_of(kernel), 1);
  return std::min(kKeptBytes / std::max<int64_t>(bytes, 4),
                  kPackedBytes / kGroupThreads / tiles / bytes);
}

// How many tiles of a group are packed at once, the first of which waits for those before it.
int64_t tiles_of_group(const KernelWriter& kernel) {
  return rooms_for(TileMembers::bytes_of(kernel));
}

class MemberTiles {
 public:
  explicit MemberTiles(GpuKernel& gpu)
      : gpu_(gpu),
        kernel_(gpu.kernel),
        monoids_(gpu),
        states_(monoids_, false),
        rooms_(tiles_of_group(kernel_)),
        row_(points_of_thread(kernel_, rooms_)),
        walk_(gpu, row_, false),
        members_(gpu, monoids_, row_, rooms_) {}

  void write(Code& code);

 private:
  // A group takes several tiles, one after the other: when the members of one are packed and said
  // the next one is computed, and then one that was packed in an earlier round is stored.
  Launch launch(Code& code, LookBack& look_back, const Operand& tiles);
  TileState pack(Code& code, Name thread, const Operand& tile, LookBack& look_back);
  void store(Code& code, Name thread, Name said, const TileState& own, LookBack& look_back,
             const Operand& tiles);
  void make_room(Code& code);
  // The values of the points of a tile, in registers.
  void compute(Code& code, Name thread, const Operand& tile);
  std::vector<Operand> values(Code& code, const Operand& k);

  // A value that partitions take, in registers.
  struct Kept {
    size_t value;
    Prim type;
    int64_t classes;  // if it is a class
    Name block;
  };
  GpuKernel& gpu_;
  KernelWriter& kernel_;
  Monoids monoids_;
  TileStates states_;
  const int64_t rooms_, row_;
  TileWalk walk_;
  TileMembers members_;
  std::vector<Kept> kept_;
};

void MemberTiles::make_room(Code& code) {
  members_.make_room(code);
  for (const SinkInfo& info : kernel_.facts.sinks) {
    if (info.sink->kind != Sink::kPartition) continue;
    for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
      const size_t value = info.values + v;
      const Prim type = v == 0 ? Prim::kI32 : kernel_.node.pull.results[value].type.elem;
      kept_.push_back({value, type, v == 0 ? info.sink->classes : 0,
                       code.alloc(Space::kPrivate, const_i64(row_ * prim_size(type)), "kept")});
    }
  }
}

void MemberTiles::compute(Code& code, Name thread, const Operand& tile) {
  const Operand points = const_i64(walk_.points());
  const Operand begin = code.mul_i64(tile, points);
  walk_.begin(code, thread, begin, code.min_i64(points, code.sub_i64(gpu_.total, begin)), nullptr);
  walk_.start(code);
  walk_.each(
      code, true, 0, row_,
      [&](Code& at, const Operand& k, const GpuPoint& point, const Operand&) {
        kernel_.point(
            at, point.indices,
            [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
              for (const Kept& kept : kept_) {
                Operand value = values[kept.value];
                if (kept.classes > 0) {
                  // A class that does not exist is the one after the last.
                  const Operand none = const_i64(kept.classes);
                  const Operand known = here.both(here.less_i64(const_i64(-1), value),
                                                  here.less_i64(value, none), "known");
                  const Operand member =
                      here.let(Prim::kI64, core::Select{known, value, none}, "class");
                  value =
                      here.let(Prim::kI32, core::Convert{Prim::kI64, Prim::kI32, member}, "class");
                }
                here.add(Store{kept.type, kept.block, k, value});
              }
              gpu_.direct(here, point, values);
            });
      },
      [&](Code& at, const Operand& k, const Operand&) {
        for (const Kept& kept : kept_)
          if (kept.classes > 0)
            at.add(Store{kept.type, kept.block, k, core::const_int(Prim::kI32, kept.classes)});
      });
}

std::vector<Operand> MemberTiles::values(Code& code, const Operand& k) {
  std::vector<Operand> values(kernel_.node.pull.results.size(), core::const_bool(true));
  for (const Kept& kept : kept_) {
    const Operand value = code.load(kept.type, kept.block, k, "kept");
    values[kept.value] =
        kept.classes == 0
            ? value
            : code.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, value}, "class");
  }
  return values;
}

// Packs what is in registers, and says how many there are.
TileState MemberTiles::pack(Code& code, Name thread, const Operand& tile, LookBack& look_back) {
  const TileMembers::Values values = [&](Code& at, const Operand& k) {
    return MemberTiles::values(at, k);
  };
  members_.count(code, thread, values);
  const TileState all = states_.start(code);
  for (size_t k = 0; k < all.accs.size(); ++k)
    code.add(Assign{all.accs[k][0], members_.total(code, k)});
  look_back.say(code, thread, tile, all);
  members_.pack(code, thread, values);
  return all;
}

// Stores what was packed.  In the first rounds there is no such tile yet: what comes before the
// first one is asked for, which nobody waits for, and it has no members.
void MemberTiles::store(Code& code, Name thread, Name said, const TileState& own,
                        LookBack& look_back, const Operand& tiles) {
  const TileState before = look_back.before(code, thread, code.max_i64(said, const_i64(0)));
  members_.store(code, thread, before, own);
  const Operand is_last = equals_i64(code, said, code.sub_i64(tiles, const_i64(1)));
  const Operand is_first = equals_i64(code, thread, const_i64(0));
  code.branch(code.both(is_first, is_last, "gives"), [&](Code& at) {
    states_.append(at, before, own);
    for (size_t k = 0; k < own.accs.size(); ++k)
      monoids_.store_total(at, monoids_.all()[k], const_i64(0), before.accs[k]);
  });
}

Launch MemberTiles::launch(Code& code, LookBack& look_back, const Operand& tiles) {
  const InKernel inside(kernel_.fn);
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  Code inner(code.program());
  make_room(inner);
  const Name next = inner.var(Prim::kI64, look_back.take_tile(inner, thread), "next");
  compute(inner, thread, next);
  // Those that have been said, the oldest one first.
  std::vector<std::pair<Name, TileState>> said;
  for (int64_t k = 0; k + 1 < rooms_; ++k)
    said.emplace_back(inner.var(Prim::kI64, const_i64(-1), "said"), states_.start(inner));
  const Name room = inner.var(Prim::kI64, const_i64(0), "room");
  const Name more = inner.var(Prim::kBool, core::const_bool(true), "more");
  Code round(code.program());
  const Operand newest = round.let(Prim::kI64, core::Value{next}, "newest");
  round.add(Assign{next, look_back.take_tile(round, thread)});
  members_.choose(round, room);
  const TileState all = pack(round, thread, newest, look_back);
  compute(round, thread, next);
  const Operand after = round.add_i64(room, const_i64(1));
  const Operand wraps = round.less_i64(after, const_i64(rooms_));
  round.add(
      Assign{room, round.let(Prim::kI64, core::Select{wraps, after, const_i64(0)}, "oldest_room")});
  members_.choose(round, room);
  store(round, thread, said[0].first, said[0].second, look_back, tiles);
  for (size_t k = 0; k < said.size(); ++k) {
    const bool last = k + 1 == said.size();
    round.add(Assign{said[k].first, last ? newest : Operand{said[k + 1].first}});
    states_.assign(round, said[k].second, last ? all : said[k + 1].second);
  }
  round.add(Assign{more, round.less_i64(said[0].first, tiles)});
  round.add(Barrier{});
  inner.add(While{more, round.finish()});
  const Operand groups = code.min_i64(tiles, const_i64(kMostGroups));
  return {group,        thread,         groups,       const_i64(kGroupThreads),
          const_i64(0), inner.finish(), const_i64(0), states_.bytes() <= 3 * 8 ? kGroupsAtOnce : 0};
}

void MemberTiles::write(Code& code) {
  gpu_.count_points(code);
  // One at least: somebody must say that there are no members.
  const Operand tiles =
      code.max_i64(pieces(code, gpu_.total, const_i64(walk_.points())), const_i64(1));
  monoids_.make_totals(code);
  LookBack look_back(code, states_, tiles);
  add_launch(code, launch(code, look_back, tiles));
  look_back.free(code);
  monoids_.read_totals(code, false);
  monoids_.free_totals(code);
}

}  // namespace

bool fits_member_tiles(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (!facts.straight || !facts.node.post.empty() || facts.dims.size() != 1 || gpu.is_seg())
    return false;
  if (facts.node.pull.body.stmts.size() > kMostKeptStatements) return false;
  const bool only = std::ranges::all_of(facts.sinks, [](const SinkInfo& info) {
    const Sink::Kind kind = info.sink->kind;
    return kind == Sink::kPartition || kind == Sink::kOut || kind == Sink::kScatter;
  });
  return only && facts.has(Sink::kPartition) &&
         TileMembers::classes_of(gpu.kernel) <= kMostClasses &&
         points_of_thread(gpu.kernel, 2) >= kFewestPoints;
}

void write_member_tiles(GpuKernel& gpu, Code& code) {
  MemberTiles(gpu).write(code);
}

}  // namespace skald::imp
