// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/sorted/sorted_teams.h"

#include "imp/lower/gpu/irregular/small_ints.h"

namespace skald::imp {

namespace {

// Threads that take a short part.
constexpr int64_t kTeamShift = 3, kTeamThreads = 1 << kTeamShift;
constexpr int64_t kTeams = kBinThreads / kTeamThreads;
// Teams are so large that their threads have so many units of a part that is long.
constexpr int64_t kUnitsOfThread = 8;
constexpr int64_t kMostUnits = kSortTile / kSortUnit;
// A range has its points in this fraction of the tiles, or less: so they are in order.
constexpr int64_t kFewTiles = 2;

Operand chosen_of(Code& code, const Operand& cond, const Operand& yes, const Operand& no) {
  return code.let(Prim::kI64, core::Select{cond, yes, no}, "chosen");
}

// Where a thread stands if parts are short.
struct Member {
  Operand team, number;
};
Member short_member(Code& code, const Launch& launch) {
  return {code.binop(BinOpKind::kQuot, launch.thread, const_i64(kTeamThreads), "team"),
          code.binop(BinOpKind::kAnd, launch.thread, const_i64(kTeamThreads - 1), "member")};
}

}  // namespace

// The row of the table that says where the parts of the range are; a thread looks at each 1024th.
SortedTeams::Tiles SortedTeams::find_tiles(Code& code, const Launch& launch,
                                           const SortedShares::Share& share) const {
  const Operand tiles = as_small(code, points_.tiles());
  const Name found =
      code.alloc(Space::kShared, const_i64(int64_t{3} * prim_size(Prim::kI32)), "tiles");
  code.branch(code.less_i64(launch.thread, const_i64(1)), [&](Code& at) {
    at.add(Store{Prim::kI32, found, const_i64(0), tiles});
    at.add(Store{Prim::kI32, found, const_i64(1), const_i32(0)});
    at.add(Store{Prim::kI32, found, const_i64(2), const_i32(0)});
  });
  code.add(Barrier{});
  const Name first = code.var(Prim::kI32, tiles, "first");
  const Name end = code.var(Prim::kI32, const_i32(0), "end");
  const Name longest = code.var(Prim::kI32, const_i32(0), "longest");
  const Operand all = chosen_of(code, share.exists, points_.tiles(), const_i64(0));
  code.loop(
      launch.thread, all,
      [&](Code& at, const Operand& tile) {
        const SortedPoints::Part part = points_.part(at, share.range, tile);
        at.branch(at.less_i64(part.begin, part.end), [&](Code& in) {
          const Operand number = as_small(in, tile);
          in.add(Assign{first, small(in, BinOpKind::kMin, first, number)});
          in.add(Assign{end, small_sum(in, number, const_i32(1))});
          const Operand length = as_small(in, in.sub_i64(part.end, part.begin));
          in.add(Assign{longest, small(in, BinOpKind::kMax, longest, length)});
        });
      },
      kBinThreads);
  // Who sees that another thread has found as much need not wait for its turn.
  const auto widen = [&](BinOpKind op, int64_t which, Name own) {
    const Operand known = code.load(Prim::kI32, found, const_i64(which), "known");
    const Operand wider =
        op == BinOpKind::kMin ? small_less(code, own, known) : small_less(code, known, own);
    code.branch(wider,
                [&](Code& at) { at.add(Atomic{op, Prim::kI32, found, const_i64(which), own}); });
  };
  widen(BinOpKind::kMin, 0, first);
  widen(BinOpKind::kMax, 1, end);
  widen(BinOpKind::kMax, 2, longest);
  code.add(Barrier{});
  return {as_wide(code, code.load(Prim::kI32, found, const_i64(0), "first")),
          as_wide(code, code.load(Prim::kI32, found, const_i64(1), "end")),
          as_wide(code, code.load(Prim::kI32, found, const_i64(2), "longest"))};
}

void SortedTeams::measure(Code& code, const Launch& launch, const SortedShares::Share& share) {
  tiles_ = find_tiles(code, launch, share);
  const Name size = code.var(Prim::kI64, const_i64(0), "size");
  code.branch(share.exists, [&](Code& at) { at.add(Assign{size, points_.size(at, share.range)}); });
  const Operand parts = code.max_i64(code.sub_i64(tiles_.end, tiles_.first), const_i64(1));
  const Operand units =
      code.binop(BinOpKind::kQuot, size, code.mul_i64(parts, const_i64(kSortUnit)), "units");
  shift_ = const_i64(kTeamShift);
  for (int64_t shift = kTeamShift + 1; kUnitsOfThread << shift <= kMostUnits; ++shift) {
    const Operand few = code.less_i64(units, const_i64(kUnitsOfThread << shift));
    shift_ = chosen_of(code, few, shift_, const_i64(shift));
  }
  in_order_ = code.less_i64(code.mul_i64(parts, const_i64(kFewTiles)), points_.tiles());
}

// Neighbours take neighbouring units.
void SortedTeams::each_unit(Code& code, const Launch& launch, const SortedShares::Share& share,
                            const Body& body) const {
  const Member member = short_member(code, launch);
  const Operand first = code.add_i64(code.mul_i64(share.number, const_i64(kTeams)), member.team);
  Code tiles(code.program());
  const Name tile = code.fresh("tile");
  const SortedPoints::Part part = points_.part(tiles, share.range, tile);
  tiles.loop(
      tiles.add_i64(part.begin, member.number), part.end,
      [&](Code& at, const Operand& unit) { body(at, tile, unit); }, kTeamThreads);
  const Operand step = code.mul_i64(share.of, const_i64(kTeams));
  code.add(For{tile, Prim::kI64, first, points_.tiles(), step, tiles.finish()});
}

// Parts are about as long as each other, so that few rounds are for nothing.
void SortedTeams::each_round(Code& code, const Launch& launch, const SortedShares::Share& share,
                             const Round& body) const {
  const Operand threads = code.binop(BinOpKind::kShl, const_i64(1), shift_, "threads");
  const Operand last = code.sub_i64(threads, const_i64(1));
  const Operand team = code.binop(BinOpKind::kAshr, launch.thread, shift_, "team");
  const Operand number = code.binop(BinOpKind::kAnd, launch.thread, last, "member");
  const Operand teams = code.binop(BinOpKind::kAshr, const_i64(kBinThreads), shift_, "teams");
  const Operand unit_step = chosen_of(code, in_order_, const_i64(1), threads);
  const auto rounds_of = [&](Code& at, const Operand& length) {
    return at.binop(BinOpKind::kAshr, at.add_i64(length, last), shift_, "rounds");
  };
  const Operand rounds = rounds_of(code, tiles_.longest);
  Code tiles(code.program()), units(code.program());
  const Name begin = code.fresh("begin"), round = code.fresh("round");
  const Operand tile = tiles.add_i64(begin, team);
  const Operand is_tile = tiles.less_i64(tile, tiles_.end);
  const Operand some = tiles.min_i64(tile, tiles.sub_i64(tiles_.end, const_i64(1)));
  const SortedPoints::Part part = points_.part(tiles, share.range, some);
  const Operand own_rounds = rounds_of(tiles, tiles.sub_i64(part.end, part.begin));
  const Operand apart = chosen_of(tiles, in_order_, own_rounds, const_i64(1));
  const Operand first = tiles.add_i64(part.begin, tiles.mul_i64(number, apart));
  const Operand own_end = tiles.min_i64(tiles.add_i64(first, own_rounds), part.end);
  const Operand last_end = chosen_of(tiles, in_order_, own_end, part.end);
  const Operand end = chosen_of(tiles, is_tile, last_end, const_i64(0));
  const Operand unit = units.add_i64(first, units.mul_i64(round, unit_step));
  body(units, tile, unit, units.less_i64(unit, end));
  tiles.add(For{round, Prim::kI64, const_i64(0), rounds, const_i64(1), units.finish()});
  const Operand first_tile = code.add_i64(tiles_.first, code.mul_i64(share.number, teams));
  const Operand step = code.mul_i64(share.of, teams);
  code.add(For{begin, Prim::kI64, first_tile, tiles_.end, step, tiles.finish()});
}

void SortedTeams::first_unit(Code& code, const Launch& launch, const SortedPoints& points,
                             const SortedShares::Share& share, const Body& body) {
  const Member member = short_member(code, launch);
  const Operand tile = code.add_i64(code.mul_i64(share.number, const_i64(kTeams)), member.team);
  const Operand is_tile = code.less_i64(tile, points.tiles());
  code.branch(code.both(share.exists, is_tile, "samples"), [&](Code& at) {
    const SortedPoints::Part part = points.part(at, share.range, tile);
    const Operand unit = at.add_i64(part.begin, member.number);
    at.branch(at.less_i64(unit, part.end), [&](Code& in) { body(in, tile, unit); });
  });
}

}  // namespace skald::imp
