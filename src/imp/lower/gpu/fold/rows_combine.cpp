// SPDX-License-Identifier: Apache-2.0
// Lanes and parts of segments are put together.
#include "imp/lower/gpu/fold/rows_writer.h"

namespace skald::imp {

namespace {

Operand shifted_left(Code& code, const Operand& a, const Operand& by) {
  return code.binop(BinOpKind::kShl, a, by, "shifted");
}

Operand is_zero(Code& code, const Operand& number, std::string_view name) {
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, number, const_i64(0)}, name);
}

}  // namespace

// Neighbours first, so that the order is kept.
void Rows::combine_in_warps(Code& code, const Thread& thread,
                            const std::vector<Accumulators>& accs) {
  const auto round = [&](Code& at, const Operand& step) {
    // All threads shuffle, whoever needs it.
    std::vector<std::vector<Operand>> others;
    for (size_t k = 0; k < accs.size(); ++k) {
      others.emplace_back();
      for (size_t v = 0; v < accs[k].size(); ++v)
        others[k].push_back(
            at.shuffle(ShuffleKind::kDown, monoid_of(k).types[v], accs[k][v], step, "other"));
    }
    const Operand pair = at.sub_i64(at.add_i64(step, step), const_i64(1));
    const Operand odd = at.binop(BinOpKind::kAnd, thread.lane, pair, "odd");
    at.branch(is_zero(at, odd, "takes"), [&](Code& here) {
      for (size_t k = 0; k < accs.size(); ++k)
        monoids_.combine(here, monoid_of(k), accs[k], others[k]);
    });
  };
  const bool whole_group = lanes_log_ == Operand{const_i64(kGroupLog)};
  const Operand lanes =
      whole_group ? Operand{const_i64(kWarpThreads)} : shifted_left(code, const_i64(1), lanes_log_);
  const Name step = code.var(Prim::kI64, const_i64(1), "step");
  const Name more = code.var(Prim::kBool, code.less_i64(step, lanes), "more");
  Code inner(code.program());
  round(inner, step);
  inner.add(Assign{step, inner.add_i64(step, step)});
  inner.add(Assign{more, inner.less_i64(step, lanes)});
  code.add(While{more, inner.finish()});
}

// Lanes of one segment lie in different warps: a tree in the memory of the group.
void Rows::combine_across(Code& code, const Thread& thread, const std::vector<Accumulators>& accs) {
  const Operand lanes = shifted_left(code, const_i64(1), lanes_log_);
  const auto store = [&](Code& at) {
    for (size_t k = 0; k < accs.size(); ++k)
      Monoids::store_values(at, shared_[k], thread.number, accs[k]);
  };
  store(code);
  code.add(Barrier{});
  const Name step = code.var(Prim::kI64, const_i64(1), "step");
  const Name more = code.var(Prim::kBool, code.less_i64(step, lanes), "more");
  Code round(code.program());
  const Operand pair = round.sub_i64(round.add_i64(step, step), const_i64(1));
  const Operand takes =
      is_zero(round, round.binop(BinOpKind::kAnd, thread.lane, pair, "odd"), "takes");
  round.branch(takes, [&](Code& at) {
    const Operand other = at.add_i64(thread.number, shifted_left(at, step, segments_log_));
    for (size_t k = 0; k < accs.size(); ++k)
      monoids_.combine(at, monoid_of(k), accs[k], Monoids::load_values(at, shared_[k], other));
    store(at);
  });
  round.add(Assign{step, round.add_i64(step, step)});
  round.add(Assign{more, round.less_i64(step, lanes)});
  round.add(Barrier{});
  code.add(While{more, round.finish()});
}

void Rows::combine_lanes(Code& code, const Thread& thread, const std::vector<Accumulators>& accs) {
  if (across_) return combine_across(code, thread, accs);
  combine_in_warps(code, thread, accs);
  if (lanes_log_ != Operand{const_i64(kGroupLog)}) return;
  // The first threads of warps leave what these have to the first one of the group.
  const Operand in_warp =
      code.binop(BinOpKind::kAnd, thread.number, const_i64(kWarpThreads - 1), "in_warp");
  code.branch(is_zero(code, in_warp, "leads"), [&](Code& at) {
    const Operand warp = at.binop(BinOpKind::kQuot, thread.number, const_i64(kWarpThreads), "warp");
    for (size_t k = 0; k < accs.size(); ++k) Monoids::store_values(at, shared_[k], warp, accs[k]);
  });
  code.add(Barrier{});
  code.branch(is_zero(code, thread.number, "one"), [&](Code& at) {
    at.loop(
        const_i64(1), const_i64(kGroupThreads / kWarpThreads),
        [&](Code& here, const Operand& warp) {
          for (size_t k = 0; k < accs.size(); ++k)
            monoids_.combine(here, monoid_of(k), accs[k],
                             Monoids::load_values(here, shared_[k], warp));
        },
        1, LoopHint::kUnroll);
  });
}

Operand Rows::segment_of(Code& code, const Thread& thread, size_t acc) const {
  return code.add_i64(thread.segment, const_i64(static_cast<int64_t>(acc / monoids_.all().size())));
}

void Rows::store_totals(Code& code, const Thread& thread, const std::vector<Accumulators>& accs) {
  const Operand is_first = is_zero(code, thread.lane, "first");
  code.branch(code.both(is_first, thread.active, "gives"), [&](Code& at) {
    for (size_t k = 0; k < accs.size(); ++k)
      monoids_.store_total(at, monoid_of(k), segment_of(at, thread, k), accs[k]);
  });
}

Operand Rows::is_last(Code& code, const Thread& thread, const Operand& unit) {
  const Name last = code.alloc(Space::kShared, const_i64(8), "last");
  code.add(Barrier{});
  code.branch(is_zero(code, thread.number, "one"), [&](Code& at) {
    const Name before = at.fresh("before");
    at.add(FetchAdd{before, Prim::kI32, arrived_, unit, core::const_int(Prim::kI32, 1)});
    const Operand number =
        at.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, before}, "number");
    at.add(Store{Prim::kI64, last, const_i64(0), number});
  });
  code.add(Barrier{});
  const Operand number = code.load(Prim::kI64, last, const_i64(0), "number");
  return code.let(
      Prim::kBool,
      core::CmpOp{CmpOpKind::kEq, Prim::kI64, number, code.sub_i64(parts_, const_i64(1))},
      "is_last");
}

void Rows::finish_parts(Code& code, const Thread& thread, const Operand& unit,
                        const std::vector<Accumulators>& accs) {
  const auto place = [&](Code& at, size_t acc, const Operand& part) {
    return at.add_i64(at.mul_i64(segment_of(at, thread, acc), parts_), part);
  };
  code.branch(is_zero(code, thread.lane, "first"), [&](Code& at) {
    for (size_t k = 0; k < accs.size(); ++k)
      Monoids::store_values(at, monoid_of(k), place(at, k, thread.part), accs[k]);
    at.add(Fence{});
  });
  const Operand last = is_last(code, thread, unit);
  // The others do the same with nothing.
  code.add(Fence{});
  const Operand found = code.let(Prim::kI64, core::Select{last, parts_, const_i64(0)}, "found");
  const Operand lanes = shifted_left(code, const_i64(1), lanes_log_);
  const Operand each = pieces(code, parts_, lanes);
  const Operand begin = code.min_i64(code.mul_i64(thread.lane, each), found);
  const Operand end = code.min_i64(code.add_i64(begin, each), found);
  const std::vector<Accumulators> all = start_each(code);
  code.loop(begin, end, [&](Code& here, const Operand& part) {
    for (size_t k = 0; k < all.size(); ++k)
      monoids_.combine(here, monoid_of(k), all[k],
                       Monoids::load_fresh(here, monoid_of(k), place(here, k, part)));
  });
  combine_lanes(code, thread, all);
  code.branch(last, [&](Code& at) { store_totals(at, thread, all); });
}

}  // namespace skald::imp
