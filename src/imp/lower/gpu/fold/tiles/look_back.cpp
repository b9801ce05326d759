// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/tiles/look_back.h"

namespace skald::imp {

namespace {

// Tiles of a batch, and batches that are looked at: a lane for each.
constexpr int64_t kBatch = kWarpThreads, kWindow = kWarpThreads;
// The first thread of the warp that looks at batches.
constexpr int64_t kFirstOfWindow = kGroupThreads - kWindow;
// What is said: what a tile or a batch has, or that and all before it.
constexpr int64_t kOwn = 1, kAll = 2;

}  // namespace

LookBack::LookBack(Code& host, TileStates& states, const Operand& tiles)
    : states_(states),
      tiles_(tiles),
      batches_(pieces(host, tiles, const_i64(kBatch))),
      places_(host.add_i64(tiles, batches_)),
      words_(host, states, places_, host.add_i64(batches_, const_i64(1))) {}

Operand LookBack::take_tile(Code& code, Name thread) {
  const Name shared = code.alloc(Space::kShared, const_i64(8), "number");
  code.branch(equals_i64(code, thread, const_i64(0)), [&](Code& at) {
    at.add(Store{Prim::kI64, shared, const_i64(0), words_.next_number(at, const_i64(0))});
  });
  code.add(Barrier{});
  return code.load(Prim::kI64, shared, const_i64(0), "tile");
}

void LookBack::look_at_tiles(Code& code, Name thread, const Operand& batch, const Operand& within,
                             const TileState& found) {
  code.branch(code.less_i64(thread, within), [&](Code& at) {
    const Operand tile = at.add_i64(at.mul_i64(batch, const_i64(kBatch)), thread);
    words_.wait(at, tile, core::const_int(Prim::kU64, kOwn), found);
  });
  states_.combine_warp(code, found);
}

// The nearest batch first; before the first one there is nothing.  The farthest one must know all
// before it, so that some batch does.
Operand LookBack::look_at_batches(Code& code, Name thread, const Operand& batch,
                                  const TileState& found) {
  const Operand lane = lane_of(code, thread);
  const Name nearest = code.var(Prim::kI64, const_i64(kWindow - 1), "nearest");
  const Operand other = code.sub_i64(code.sub_i64(batch, const_i64(1)), lane);
  code.branch(code.less_i64(const_i64(kFirstOfWindow - 1), thread), [&](Code& at) {
    at.branch(
        at.less_i64(other, const_i64(0)), [&](Code& none) { none.add(Assign{nearest, lane}); },
        [&](Code& some) {
          const Operand least = some.let(
              Prim::kU64,
              core::Select{equals_i64(some, lane, const_i64(kWindow - 1)),
                           core::const_int(Prim::kU64, kAll), core::const_int(Prim::kU64, kOwn)},
              "least");
          const Operand kind = words_.wait(some, batch_place(some, other), least, found);
          const Operand knows = some.let(
              Prim::kBool,
              core::CmpOp{CmpOpKind::kEq, Prim::kU64, kind, core::const_int(Prim::kU64, kAll)},
              "knows");
          some.branch(knows, [&](Code& here) { here.add(Assign{nearest, lane}); });
        });
  });
  doubling_steps(code, [&](Code& at, const Operand& step) {
    const Operand there = at.shuffle(ShuffleKind::kXor, Prim::kI64, nearest, step, "other");
    at.add(Assign{nearest, at.min_i64(nearest, there)});
  });
  return nearest;
}

void LookBack::say(Code& code, Name thread, const Operand& tile, const TileState& own) {
  const Operand first = equals_i64(code, thread, const_i64(0));
  const Operand batch = code.binop(BinOpKind::kQuot, tile, const_i64(kBatch), "batch");
  const Name comes_last = code.var(Prim::kBool, core::const_bool(false), "comes_last");
  code.branch(code.both(first, code.less_i64(tile, tiles_), "says"), [&](Code& at) {
    words_.say(at, tile, own, kOwn);
    const Name others = words_.next_number(at, at.add_i64(batch, const_i64(1)));
    at.add(Assign{comes_last, equals_i64(at, others, const_i64(kBatch - 1))});
  });
  // The lanes of the first warp; no other thread is told so.
  const Operand last =
      code.shuffle(ShuffleKind::kIndex, Prim::kBool, comes_last, const_i64(0), "last");
  const TileState whole = states_.start(code);
  code.branch(last, [&](Code& at) {
    const Operand other = at.add_i64(at.mul_i64(batch, const_i64(kBatch)), thread);
    words_.wait(at, other, core::const_int(Prim::kU64, kOwn), whole);
  });
  states_.combine_warp(code, whole);
  code.branch(comes_last, [&](Code& at) { words_.say(at, batch_place(at, batch), whole, kOwn); });
}

TileState LookBack::before(Code& code, Name thread, const Operand& tile) {
  // Batches by their distance, then what the tiles of this batch have.
  const StatePlaces window = states_.in_shared(code, kWindow + 1);
  const Name nearest_place = code.alloc(Space::kShared, const_i64(8), "nearest");
  const Operand first = equals_i64(code, thread, const_i64(0));
  const Operand batch = code.binop(BinOpKind::kQuot, tile, const_i64(kBatch), "batch");
  const Operand within = code.sub_i64(tile, code.mul_i64(batch, const_i64(kBatch)));
  const Operand ends = code.both(first, equals_i64(code, within, const_i64(kBatch - 1)), "ends");

  const TileState of_tiles = states_.start(code);
  look_at_tiles(code, thread, batch, within, of_tiles);
  code.branch(first, [&](Code& at) { states_.store(at, window, const_i64(kWindow), of_tiles); });
  const TileState of_batch = states_.start(code);
  const Operand distance = look_at_batches(code, thread, batch, of_batch);
  code.branch(code.less_i64(const_i64(kFirstOfWindow - 1), thread),
              [&](Code& at) { states_.store(at, window, lane_of(at, thread), of_batch); });
  code.branch(equals_i64(code, thread, const_i64(kFirstOfWindow)),
              [&](Code& at) { at.add(Store{Prim::kI64, nearest_place, const_i64(0), distance}); });
  code.add(Barrier{});

  const Operand nearest = code.load(Prim::kI64, nearest_place, const_i64(0), "nearest");
  const TileState sum = states_.load(code, window, nearest);
  code.loop(const_i64(0), nearest, [&](Code& at, const Operand& k) {
    const Operand next = at.sub_i64(at.sub_i64(nearest, const_i64(1)), k);
    states_.append(at, sum, states_.load(at, window, next));
  });
  const TileState in_batch = states_.load(code, window, const_i64(kWindow));
  // The same A as for all others, which is in its place before S is.
  code.branch(ends, [&](Code& at) {
    const TileState whole = states_.start(at), all = states_.copy(at, sum);
    words_.wait(at, batch_place(at, batch), core::const_int(Prim::kU64, kOwn), whole);
    states_.append(at, all, whole);
    words_.say(at, batch_place(at, batch), all, kAll);
  });
  states_.append(code, sum, in_batch);
  return sum;
}

}  // namespace skald::imp
