// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/look_back.h"

namespace skald::imp {

namespace {

// Tiles of a batch, and batches that are looked at.
constexpr int64_t kBatch = kGroupThreads, kWindow = 32;
// What a flag says; nothing yet is 0.
constexpr int64_t kOwn = 1, kAll = 2;

Operand is_equal(Code& code, const Operand& a, int64_t b) {
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, a, const_i64(b)}, "same");
}

Operand as_i64(Code& code, const Operand& narrow) {
  return code.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, narrow}, "wide");
}

Operand fresh_i32(Code& code, Name block, const Operand& at) {
  const Name value = code.fresh("seen");
  code.add(Load{value, Prim::kI32, block, at, LaneAccess::kScalar, true});
  return as_i64(code, value);
}

}  // namespace

// ---- states

TileState TileStates::start(Code& code) {
  TileState state{monoids_.start_all(code)};
  if (segmented_) state.cut = code.var(Prim::kI32, core::const_int(Prim::kI32, 0), "cut");
  return state;
}

void TileStates::restart(Code& code, const TileState& state) {
  const TileState fresh = start(code);
  assign(code, state, fresh);
  if (segmented_) code.add(Assign{state.cut, core::const_int(Prim::kI32, 1)});
}

void TileStates::assign(Code& code, const TileState& to, const TileState& from) {
  for (size_t k = 0; k < to.accs.size(); ++k)
    for (size_t v = 0; v < to.accs[k].size(); ++v) code.add(Assign{to.accs[k][v], from.accs[k][v]});
  if (segmented_) code.add(Assign{to.cut, from.cut});
}

void TileStates::append(Code& code, const TileState& left, const TileState& right) {
  const auto combine = [&](Code& at) {
    for (size_t k = 0; k < left.accs.size(); ++k)
      monoids_.combine(at, monoids_.all()[k], left.accs[k],
                       std::vector<Operand>(right.accs[k].begin(), right.accs[k].end()));
  };
  if (!segmented_) return combine(code);
  code.branch(is_equal(code, as_i64(code, right.cut), 0), combine,
              [&](Code& at) { assign(at, left, right); });
}

void TileStates::add_point(Code& code, const TileState& state, const std::vector<Operand>& values) {
  monoids_.combine_all(code, state.accs, values, false);
}

StatePlaces TileStates::in_shared(Code& code, int64_t count) {
  StatePlaces places;
  for (const Monoid& monoid : monoids_.all())
    places.monoids.push_back(in_shared_memory(code, monoid, count));
  if (segmented_) places.cuts = code.alloc(Space::kShared, const_i64(4 * count), "cuts");
  return places;
}

StatePlaces TileStates::on_device(Code& host, const Operand& count) {
  StatePlaces places;
  for (const Monoid& monoid : monoids_.all()) {
    Monoid& there = places.monoids.emplace_back(monoid);
    there.partials.clear();
    for (const Prim type : monoid.types)
      there.partials.push_back(
          host.alloc(Space::kDevice, host.mul_i64(count, const_i64(prim_size(type))), "states"));
  }
  if (segmented_)
    places.cuts = host.alloc(Space::kDevice, host.mul_i64(count, const_i64(4)), "cuts");
  return places;
}

void TileStates::free(Code& host, const StatePlaces& places) {
  for (const Monoid& monoid : places.monoids)
    for (const Name block : monoid.partials) host.add(Free{block});
  if (segmented_) host.add(Free{places.cuts});
}

TileState TileStates::load(Code& code, const StatePlaces& places, const Operand& at, bool fresh) {
  TileState state;
  for (const Monoid& monoid : places.monoids) {
    const std::vector<Operand> values =
        fresh ? Monoids::load_fresh(code, monoid, at) : Monoids::load_values(code, monoid, at);
    Accumulators& acc = state.accs.emplace_back();
    for (size_t v = 0; v < values.size(); ++v)
      acc.push_back(code.var(monoid.types[v], values[v], "acc"));
  }
  if (segmented_) {
    const Name cut = code.fresh("cut");
    code.add(Load{cut, Prim::kI32, places.cuts, at, LaneAccess::kScalar, fresh});
    state.cut = code.var(Prim::kI32, cut, "cut");
  }
  return state;
}

void TileStates::store(Code& code, const StatePlaces& places, const Operand& at,
                       const TileState& state) {
  for (size_t k = 0; k < places.monoids.size(); ++k)
    Monoids::store_values(code, places.monoids[k], at, state.accs[k]);
  if (segmented_) code.add(Store{Prim::kI32, places.cuts, at, state.cut});
}

void TileStates::scan(Code& code, Name thread, const StatePlaces& places, const Operand& count) {
  const Name step = code.var(Prim::kI64, const_i64(1), "step");
  const Name more = code.var(Prim::kBool, code.less_i64(step, count), "more");
  Code round(code.program());
  const TileState sum = start(round);
  const Operand takes = round.both(round.less_i64(round.sub_i64(step, const_i64(1)), thread),
                                   round.less_i64(thread, count), "takes");
  round.branch(takes, [&](Code& at) {
    assign(at, sum, load(at, places, at.sub_i64(thread, step)));
    append(at, sum, load(at, places, thread));
  });
  round.add(Barrier{});
  round.branch(takes, [&](Code& at) { store(at, places, thread, sum); });
  round.add(Assign{step, round.add_i64(step, step)});
  round.add(Assign{more, round.less_i64(step, count)});
  round.add(Barrier{});
  code.add(While{more, round.finish()});
}

// ---- host code

LookBack::LookBack(Code& host, TileStates& states, const Operand& tiles)
    : states_(states), tiles_(tiles), batches_(pieces(host, tiles, const_i64(kBatch))) {
  const Operand count = host.add_i64(const_i64(1), host.add_i64(tiles_, batches_));
  flags_ = host.alloc(Space::kDevice, host.mul_i64(count, const_i64(4)), "flags");
  host.add(Fill{Prim::kI32, flags_, const_i64(0), count, core::const_int(Prim::kI32, 0)});
  said_ = states_.on_device(host, host.add_i64(tiles_, host.add_i64(batches_, batches_)));
}

void LookBack::free(Code& host) {
  host.add(Free{flags_});
  states_.free(host, said_);
}

// ---- code of a group

Operand LookBack::take_tile(Code& code, Name thread) {
  shared_word_ = code.alloc(Space::kShared, const_i64(8), "word");
  code.branch(is_equal(code, thread, 0), [&](Code& at) {
    const Name number = at.fresh("number");
    at.add(FetchAdd{number, Prim::kI32, flags_, const_i64(0), core::const_int(Prim::kI32, 1)});
    at.add(Store{Prim::kI64, shared_word_, const_i64(0), as_i64(at, number)});
  });
  code.add(Barrier{});
  return code.load(Prim::kI64, shared_word_, const_i64(0), "tile");
}

Operand LookBack::flag_of_tile(Code& code, const Operand& tile) {
  return code.add_i64(const_i64(1), tile);
}
Operand LookBack::flag_of_batch(Code& code, const Operand& batch) {
  return code.add_i64(code.add_i64(const_i64(1), tiles_), batch);
}

void LookBack::say(Code& code, const Operand& place, const TileState& state, const Operand& flag,
                   int64_t value) {
  states_.store(code, said_, place, state);
  code.add(Fence{});
  code.add(Store{Prim::kI32, flags_, flag, core::const_int(Prim::kI32, value), LaneAccess::kScalar,
                 true});
}

Operand LookBack::wait(Code& code, const Operand& flag) {
  const Name seen = code.var(Prim::kI64, fresh_i32(code, flags_, flag), "seen");
  const Name waits = code.var(Prim::kBool, is_equal(code, seen, 0), "waits");
  Code again(code.program());
  again.add(Assign{seen, fresh_i32(again, flags_, flag)});
  again.add(Assign{waits, is_equal(again, seen, 0)});
  code.add(While{waits, again.finish()});
  code.add(Fence{});
  return code.let(Prim::kI64, core::Value{seen}, "seen");
}

// The tiles of the batch before this one, each by its own thread.
void LookBack::gather_tiles(Code& code, const Operand& thread, const Operand& batch,
                            const Operand& within) {
  code.branch(code.less_i64(thread, within), [&](Code& at) {
    const Operand tile = at.add_i64(at.mul_i64(batch, const_i64(kBatch)), thread);
    wait(at, flag_of_tile(at, tile));
    states_.store(at, window_, thread, states_.load(at, said_, tile, true));
  });
}

// The batches before this one, the nearest first; before the first one there is nothing.
void LookBack::gather_batches(Code& code, const Operand& thread, const Operand& batch) {
  code.branch(code.less_i64(thread, const_i64(kWindow)), [&](Code& at) {
    const Operand other = at.sub_i64(at.sub_i64(batch, const_i64(1)), thread);
    at.branch(
        at.less_i64(other, const_i64(0)),
        [&](Code& none) {
          none.add(Store{Prim::kI64, kinds_, thread, const_i64(kAll)});
          states_.store(none, window_, thread, states_.start(none));
        },
        [&](Code& some) {
          const Operand kind = wait(some, flag_of_batch(some, other));
          some.add(Store{Prim::kI64, kinds_, thread, kind});
          const Operand own = some.add_i64(tiles_, other);
          const Operand all = some.add_i64(own, batches_);
          const Operand place =
              some.let(Prim::kI64, core::Select{is_equal(some, kind, kAll), all, own}, "place");
          states_.store(some, window_, thread, states_.load(some, said_, place, true));
        });
  });
}

TileState LookBack::before(Code& code, Name thread, const Operand& tile, const StatePlaces& places,
                           const Operand& own) {
  const StatePlaces tiles = states_.in_shared(code, kBatch);
  const StatePlaces batches = states_.in_shared(code, kWindow);
  kinds_ = code.alloc(Space::kShared, const_i64(8 * kWindow), "kinds");
  const Operand is_one = is_equal(code, thread, 0);
  const Operand batch = code.binop(BinOpKind::kQuot, tile, const_i64(kBatch), "batch");
  const Operand within = code.sub_i64(tile, code.mul_i64(batch, const_i64(kBatch)));
  const Operand says = code.both(is_one, is_equal(code, within, kBatch - 1), "says");
  code.branch(is_one, [&](Code& at) {
    say(at, tile, states_.load(at, places, own), flag_of_tile(at, tile), kOwn);
  });
  window_ = tiles;
  gather_tiles(code, thread, batch, within);
  code.add(Barrier{});
  states_.scan(code, thread, tiles, within);
  // What the tiles of the batch before this one have.
  const TileState in_batch = states_.start(code);
  code.branch(code.less_i64(const_i64(0), within), [&](Code& at) {
    states_.assign(at, in_batch, states_.load(at, tiles, at.sub_i64(within, const_i64(1))));
  });
  code.branch(says, [&](Code& at) {
    const TileState whole = with_own(at, in_batch, places, own);
    say(at, at.add_i64(tiles_, batch), whole, flag_of_batch(at, batch), kOwn);
  });
  window_ = batches;
  const Operand nearest = find_sum(code, thread, batch);
  const TileState sum = states_.load(code, batches, nearest);
  code.loop(const_i64(0), nearest, [&](Code& at, const Operand& k) {
    const Operand other = at.sub_i64(at.sub_i64(nearest, const_i64(1)), k);
    states_.append(at, sum, states_.load(at, batches, other));
  });
  code.branch(says, [&](Code& at) {
    const TileState whole = states_.start(at);
    states_.assign(at, whole, sum);
    states_.append(at, whole, with_own(at, in_batch, places, own));
    say(at, at.add_i64(at.add_i64(tiles_, batches_), batch), whole, flag_of_batch(at, batch), kAll);
  });
  states_.append(code, sum, in_batch);
  return sum;
}

// What the batch has up to this tile.
TileState LookBack::with_own(Code& code, const TileState& in_batch, const StatePlaces& places,
                             const Operand& own) {
  const TileState whole = states_.start(code);
  states_.assign(code, whole, in_batch);
  states_.append(code, whole, states_.load(code, places, own));
  return whole;
}

// Waits until one of the batches in the window knows what all before it have; where it is.
Operand LookBack::find_sum(Code& code, Name thread, const Operand& batch) {
  const Name nearest = code.var(Prim::kI64, const_i64(kWindow), "nearest");
  const Name more = code.var(Prim::kBool, core::const_bool(true), "more");
  Code round(code.program());
  gather_batches(round, thread, batch);
  round.add(Barrier{});
  round.add(Assign{nearest, const_i64(0)});
  const auto is_other = [&](Code& at) {
    return is_equal(at, at.load(Prim::kI64, kinds_, nearest, "kind"), kOwn);
  };
  const Name on = round.var(Prim::kBool, is_other(round), "on");
  Code next(code.program());
  next.add(Assign{nearest, next.add_i64(nearest, const_i64(1))});
  next.add(Assign{on, core::const_bool(false)});
  next.branch(next.less_i64(nearest, const_i64(kWindow)),
              [&](Code& at) { at.add(Assign{on, is_other(at)}); });
  round.add(While{on, next.finish()});
  round.add(Assign{more, is_equal(round, nearest, kWindow)});
  round.add(Barrier{});
  code.add(While{more, round.finish()});
  return code.let(Prim::kI64, core::Value{nearest}, "nearest");
}

}  // namespace skald::imp
