// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/tiles/tile_state.h"

namespace skald::imp {

TileState TileStates::start(Code& code) {
  TileState state{monoids_.start_all(code)};
  if (segmented_) state.cut = code.var(Prim::kI32, core::const_int(Prim::kI32, 0), "cut");
  return state;
}

TileState TileStates::copy(Code& code, const TileState& state) {
  TileState other;
  for (size_t k = 0; k < state.accs.size(); ++k) {
    Accumulators& acc = other.accs.emplace_back();
    for (size_t v = 0; v < state.accs[k].size(); ++v)
      acc.push_back(code.var(monoids_.all()[k].types[v], state.accs[k][v], "acc"));
  }
  if (segmented_) other.cut = code.var(Prim::kI32, state.cut, "cut");
  return other;
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
  const Operand whole = code.let(
      Prim::kBool,
      core::CmpOp{CmpOpKind::kEq, Prim::kI32, right.cut, core::const_int(Prim::kI32, 0)}, "whole");
  code.branch(whole, combine, [&](Code& at) { assign(at, left, right); });
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

// ---- between threads

TileState TileStates::shuffle(Code& code, ShuffleKind kind, const TileState& state,
                              const Operand& lane) {
  TileState other;
  for (size_t k = 0; k < state.accs.size(); ++k) {
    Accumulators& acc = other.accs.emplace_back();
    for (size_t v = 0; v < state.accs[k].size(); ++v) {
      const Prim type = monoids_.all()[k].types[v];
      acc.push_back(
          code.var(type, code.shuffle(kind, type, state.accs[k][v], lane, "other"), "acc"));
    }
  }
  if (segmented_)
    other.cut =
        code.var(Prim::kI32, code.shuffle(kind, Prim::kI32, state.cut, lane, "other"), "cut");
  return other;
}

void TileStates::combine_warp(Code& code, const TileState& state) {
  doubling_steps(code, [&](Code& at, const Operand& step) {
    append(at, state, shuffle(at, ShuffleKind::kDown, state, step));
  });
}

TileStates::Scanned TileStates::scan_threads(Code& code, Name thread, const TileState& own) {
  const int64_t warps = kGroupThreads / kWarpThreads;
  const Operand lane = lane_of(code, thread), warp = warp_of(code, thread);
  const TileState through = copy(code, own);
  doubling_steps(code, [&](Code& at, const Operand& step) {
    const TileState other = shuffle(at, ShuffleKind::kUp, through, step);
    at.branch(at.less_i64(at.sub_i64(step, const_i64(1)), lane), [&](Code& here) {
      append(here, other, through);
      assign(here, through, other);
    });
  });
  const StatePlaces totals = in_shared(code, warps);
  code.branch(equals_i64(code, lane, const_i64(kWarpThreads - 1)),
              [&](Code& at) { store(at, totals, warp, through); });
  const TileState in_warp = start(code);
  const TileState last = shuffle(code, ShuffleKind::kUp, through, const_i64(1));
  code.branch(code.less_i64(const_i64(0), lane), [&](Code& at) { assign(at, in_warp, last); });
  code.add(Barrier{});
  const TileState before = start(code);
  const TileState all = load(code, totals, const_i64(0));
  code.loop(
      const_i64(1), const_i64(warps),
      [&](Code& at, const Operand& other) {
        at.branch(equals_i64(at, other, warp), [&](Code& here) { assign(here, before, all); });
        append(at, all, load(at, totals, other));
      },
      1, LoopHint::kUnroll);
  append(code, before, in_warp);
  return {before, all};
}

}  // namespace skald::imp
