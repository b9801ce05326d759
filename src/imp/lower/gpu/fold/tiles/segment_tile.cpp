// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/tiles/segment_tile.h"

#include "imp/lower/gpu/fold/tiles/tile_state.h"

namespace skald::imp {

namespace {

Operand greater_i32(Code& code, const Operand& a, const Operand& b) {
  return code.let(Prim::kI32, core::BinOp{BinOpKind::kMax, Prim::kI32, a, b}, "greater");
}

}  // namespace

Operand SegmentTile::delta(Code& code, const Operand& offset) const {
  const Operand narrow = code.load(Prim::kI32, deltas_, offset, "delta");
  return code.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, narrow}, "delta");
}

void SegmentTile::mark(Code& code, Name thread, const Operand& end) const {
  const Operand last = gpu_.find_segment(code, code.sub_i64(end, const_i64(1)));
  const Operand next = code.add_i64(code.add_i64(first_, const_i64(1)), thread);
  code.loop(
      next, code.add_i64(last, const_i64(1)),
      [&](Code& at, const Operand& segment) {
        const Operand from = gpu_.offset(at, segment);
        const Operand to = gpu_.offset(at, at.add_i64(segment, const_i64(1)));
        at.branch(at.less_i64(from, to), [&](Code& here) {
          const Operand delta = here.let(
              Prim::kI32, core::Convert{Prim::kI64, Prim::kI32, here.sub_i64(segment, first_)},
              "delta");
          here.add(Store{Prim::kI32, deltas_, here.sub_i64(from, begin_), delta});
        });
      },
      kGroupThreads);
}

// Of the threads before this one; a barrier is inside.
Operand SegmentTile::greatest_before(Code& code, Name thread, Name own) {
  constexpr int64_t kWarps = kGroupThreads / kWarpThreads;
  const Operand zero = core::const_int(Prim::kI32, 0);
  const Operand lane = lane_of(code, thread), warp = warp_of(code, thread);
  const Name through = code.var(Prim::kI32, own, "through");
  // Where a shuffle leaves the warp it gives the thread's own mark, which does no harm.
  doubling_steps(code, [&](Code& at, const Operand& step) {
    const Operand other = at.shuffle(ShuffleKind::kUp, Prim::kI32, through, step, "other");
    at.add(Assign{through, greater_i32(at, other, through)});
  });
  const Name of_warps = code.alloc(Space::kShared, const_i64(4 * kWarps), "of_warps");
  code.branch(equals_i64(code, lane, const_i64(kWarpThreads - 1)),
              [&](Code& at) { at.add(Store{Prim::kI32, of_warps, warp, through}); });
  const Operand last = code.shuffle(ShuffleKind::kUp, Prim::kI32, through, const_i64(1), "last");
  const Name before = code.var(Prim::kI32, zero, "before");
  code.branch(code.less_i64(const_i64(0), lane), [&](Code& at) { at.add(Assign{before, last}); });
  code.add(Barrier{});
  code.loop(const_i64(0), warp, [&](Code& at, const Operand& other) {
    const Operand mark = at.load(Prim::kI32, of_warps, other, "mark");
    at.add(Assign{before, greater_i32(at, before, mark)});
  });
  return before;
}

// Marks go on until the next one.
void SegmentTile::spread(Code& code, Name thread) const {
  const Operand row = code.mul_i64(thread, const_i64(row_));
  const Name so_far = code.var(Prim::kI32, core::const_int(Prim::kI32, 0), "so_far");
  const auto walk = [&](const std::function<void(Code&, const Operand&)>& then) {
    code.loop(
        const_i64(0), const_i64(row_),
        [&](Code& at, const Operand& k) {
          const Operand offset = at.add_i64(row, k);
          const Operand own = at.load(Prim::kI32, deltas_, offset, "own");
          at.add(Assign{so_far, greater_i32(at, so_far, own)});
          if (then) then(at, offset);
        },
        1, LoopHint::kUnroll);
  };
  walk({});
  code.add(Assign{so_far, greatest_before(code, thread, so_far)});
  walk(
      [&](Code& at, const Operand& offset) { at.add(Store{Prim::kI32, deltas_, offset, so_far}); });
  code.add(Barrier{});
}

void SegmentTile::find(Code& code, Name thread, const Operand& begin, const Operand& count) {
  begin_ = begin;
  const int64_t points = row_ * kGroupThreads;
  deltas_ = code.alloc(Space::kShared, const_i64(points * kBytes), "deltas");
  code.loop(
      thread, const_i64(points),
      [&](Code& at, const Operand& offset) {
        at.add(Store{Prim::kI32, deltas_, offset, core::const_int(Prim::kI32, 0)});
      },
      kGroupThreads);
  first_ = gpu_.find_segment(code, begin);
  code.add(Barrier{});
  code.branch(code.less_i64(const_i64(0), count),
              [&](Code& at) { mark(at, thread, at.add_i64(begin, count)); });
  code.add(Barrier{});
  spread(code, thread);
}

GpuPoint SegmentTile::point(Code& code, const Operand& offset) const {
  const Operand segment = code.add_i64(first_, delta(code, offset));
  const Operand flat = code.add_i64(begin_, offset);
  return {{segment, code.sub_i64(flat, gpu_.offset(code, segment)), flat}, {flat}, flat};
}

Operand SegmentTile::begins(Code& code, const Operand& offset) const {
  const Name begins = code.var(Prim::kBool, core::const_bool(false), "begins");
  code.branch(
      code.less_i64(const_i64(0), offset),
      [&](Code& at) {
        const Operand own = at.load(Prim::kI32, deltas_, offset, "own");
        const Operand before =
            at.load(Prim::kI32, deltas_, at.sub_i64(offset, const_i64(1)), "before");
        at.add(Assign{
            begins,
            at.let(Prim::kBool, core::CmpOp{CmpOpKind::kLt, Prim::kI32, before, own}, "other")});
      },
      [&](Code& at) {
        const Operand at_start = at.let(
            Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, gpu_.offset(at, first_), begin_},
            "at_start");
        at.add(Assign{begins, at_start});
      });
  return code.let(Prim::kBool, core::Value{begins}, "begins");
}

Operand SegmentTile::ends(Code& code, const GpuPoint& point) const {
  const Operand next = code.add_i64(point.indices[0], const_i64(1));
  const Operand after = code.add_i64(point.position, const_i64(1));
  return code.let(Prim::kBool,
                  core::CmpOp{CmpOpKind::kEq, Prim::kI64, gpu_.offset(code, next), after}, "ends");
}

}  // namespace skald::imp
