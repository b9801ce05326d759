// SPDX-License-Identifier: Apache-2.0
// Reductions whose lanes are points of one reduction (lanes.cpp), or in which at least their values
// are computed in lanes.
#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "imp/lower/common/lane_code.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Bytes of accumulators that `along` keeps in registers, if points and operators together have at
// most so many statements.
constexpr int64_t kAlongBytes = 256, kMostBanks = 4;
constexpr size_t kCheapStatements = 8;
// Bytes of accumulators of `in order`, and points of a stretch: stretches are short, so that their
// places are near each other.
constexpr int64_t kOrderedBytes = 192, kStretch = 64;
// A reduction in order has at least this many statements for each value it loads, which lanes do
// one by one.
constexpr size_t kStatementsPerLoad = 2;
// Points whose values wait to be combined.
constexpr int64_t kReducedPiece = 256;

}  // namespace

// ---- along

int64_t KernelLowering::lane_banks() const {
  if (fn_.target_ != Target::kCpu || !is_straight() || has_slow_operation(kernel_.pull.body))
    return 1;
  size_t count = kernel_.pull.body.stmts.size();
  int64_t bytes = 0;
  for (const SinkInfo& info : laned_) {
    const Operator& op = info.sink->op[0];
    count += op.fn.body.stmts.size();
    if (has_slow_operation(op.fn.body)) return 1;
    for (size_t v = 0; v < op.neutral.size(); ++v) bytes += prim_size(op.fn.params[v].type.elem);
  }
  int64_t banks = 1;
  while (count <= kCheapStatements && banks < kMostBanks &&
         2 * banks * kLanes * bytes <= kAlongBytes)
    banks *= 2;
  return banks;
}

void KernelLowering::fold_lanes(Code& code, const Lanes& into, const Lanes& from, int64_t count,
                                int64_t offset) {
  code.loop(
      const_i64(0), const_i64(count),
      [&](Code& at, const Operand& lane) {
        const Operand other = at.add_i64(lane, const_i64(offset));
        for (size_t k = 0; k < laned_.size(); ++k) {
          const Operator& op = laned_[k].sink->op[0];
          std::vector<Operand> args = load_lane(at, into, k, lane);
          for (const Operand& value : load_lane(at, from, k, other)) args.push_back(value);
          const std::vector<Operand> both = fn_.apply(at, op.fn, args);
          for (size_t v = 0; v < both.size(); ++v)
            at.add(Store{op.fn.params[v].type.elem, into[k][v], lane, both[v]});
        }
      },
      1, count > 1 ? LoopHint::kSimd : LoopHint::kShort);
}

void KernelLowering::reduce_along(Code& code, const std::vector<Operand>& outer,
                                  const Operand& begin, const Operand& length,
                                  const std::vector<Accumulators>& accs) {
  std::vector<Lanes> banks(static_cast<size_t>(lane_banks()));
  for (Lanes& lanes : banks) lanes = start_lanes(code, kLanes);
  const auto from = [&](const Operand& first) {
    return [&outer, first](Code& at, const Operand& lane) {
      std::vector<Operand> indices = outer;
      indices.push_back(at.add_i64(first, lane));
      return indices;
    };
  };
  Operand first = begin, rest = length;
  const auto whole_groups = [&](size_t used) {
    const int64_t count = kLanes * static_cast<int64_t>(used);
    const Operand left = code.binop(BinOpKind::kAnd, rest, const_i64(count - 1), "rest");
    const Operand whole = code.add_i64(first, code.sub_i64(rest, left));
    code.loop(
        first, whole,
        [&](Code& at, const Operand& i) {
          for (size_t b = 0; b < used; ++b)
            feed_lanes(at, banks[b], const_i64(kLanes), LoopHint::kSimd,
                       from(at.add_i64(i, const_i64(kLanes * static_cast<int64_t>(b)))));
        },
        count);
    first = whole;
    rest = left;
  };
  whole_groups(banks.size());
  for (size_t half = banks.size() / 2; half > 0; half /= 2)
    for (size_t b = 0; b < half; ++b) fold_lanes(code, banks[b], banks[b + half], kLanes, 0);
  if (banks.size() > 1) whole_groups(1);
  const Lanes& lanes = banks[0];
  if (!is_straight()) {
    // Expensive points are worth vectors that are not full.
    const bool cheap = is_straight_line(kernel_.pull.body);
    feed_lanes(code, lanes, rest, cheap ? LoopHint::kShort : LoopHint::kSimd, from(first));
    code.short_loop(const_i64(0), const_i64(kLanes), [&](Code& at, const Operand& lane) {
      for (size_t k = 0; k < laned_.size(); ++k)
        combine(at, laned_[k].sink->op[0], accs[k], load_lane(at, lanes, k, lane));
    });
    return;
  }
  // Nothing but whole vectors touches the lanes, so that they never need memory.
  code.short_loop(first, code.add_i64(first, rest), [&](Code& at, const Operand& i) {
    point(
        at, from(i)(at, const_i64(0)),
        [&](Code& inner, const std::vector<Operand>& indices, const std::vector<Operand>& values) {
          for (size_t k = 0; k < laned_.size(); ++k)
            combine(inner, laned_[k].sink->op[0], accs[k], sink_values(laned_[k], values));
          if (!has(Sink::kScan)) direct_sinks(inner, indices, values);
        });
  });
  for (int64_t half = kLanes / 2; half > 0; half /= 2) fold_lanes(code, lanes, lanes, half, half);
  for (size_t k = 0; k < laned_.size(); ++k)
    combine(code, laned_[k].sink->op[0], accs[k], load_lane(code, lanes, k, const_i64(0)));
}

// ---- in order

int64_t KernelLowering::ordered_lanes(Sink::Kind kind) const {
  if (fn_.target_ != Target::kCpu || kernel_.guarded) return 0;
  size_t loads = 0, count = 0;
  int64_t bytes = 0;
  if (!staged_.empty())
    loads = staged_.size();
  else if (!count_scalar_code(kernel_.pull.body, loads, count))
    return 0;
  for (const SinkInfo& info : sinks_) {
    // Nothing but the totals of a scan is computed at first.
    if (info.sink->kind != kind && kind == Sink::kScan) continue;
    if (info.sink->kind != kind) return 0;
    const Operator& op = info.sink->op[0];
    if (!count_scalar_code(op.fn.body, loads, count)) return 0;
    for (size_t v = 0; v < op.neutral.size(); ++v) bytes += prim_size(op.fn.params[v].type.elem);
  }
  if (count < kStatementsPerLoad * loads) return 0;
  int64_t lanes = kLanes;
  while (lanes * bytes > kOrderedBytes) lanes /= 2;
  return lanes < 4 ? 0 : lanes;
}

void KernelLowering::reduce_in_order(Code& code, const std::vector<Operand>& outer,
                                     const Operand& begin, const Operand& end,
                                     const std::vector<Accumulators>& accs) {
  const int64_t width = ordered_lanes(has(Sink::kScan) ? Sink::kScan : Sink::kReduce);
  const Operand rest =
      code.binop(BinOpKind::kAnd, code.sub_i64(end, begin), const_i64(width - 1), "rest");
  const Operand whole = code.sub_i64(end, rest);
  const auto stretches = [&](Code& block, const Operand& first, const Operand& stretch) {
    const Lanes lanes = start_lanes(block, width);
    block.loop(const_i64(0), stretch, [&](Code& at, const Operand& t) {
      feed_lanes(at, lanes, const_i64(width), LoopHint::kSimd,
                 [&](Code& here, const Operand& lane) {
                   std::vector<Operand> indices = outer;
                   const Operand begin = here.mul_i64(lane, stretch);
                   indices.push_back(here.add_i64(here.add_i64(first, t), begin));
                   transposed_.t = t;
                   transposed_.lane = lane;
                   return indices;
                 });
    });
    block.short_loop(const_i64(0), const_i64(width), [&](Code& at, const Operand& lane) {
      for (size_t k = 0; k < laned_.size(); ++k)
        combine(at, laned_[k].sink->op[0], accs[k], load_lane(at, lanes, k, lane));
    });
  };
  const bool transposes = start_transposed(code, width, kStretch);
  code.loop(
      begin, whole,
      [&](Code& block, const Operand& first) {
        const Operand size =
            block.min_i64(const_i64(width * kStretch), block.sub_i64(whole, first));
        const auto transposed = [&](Code& at, const Operand& stretch) {
          if (transposes) transpose_points(at, outer, first, stretch);
          stretches(at, first, stretch);
          transposed_.in_use = false;
        };
        // Whole blocks have constant strides.
        block.branch(
            block.less_i64(size, const_i64(width * kStretch)),
            [&](Code& at) {
              transposed(at, at.binop(BinOpKind::kQuot, size, const_i64(width), "stretch"));
            },
            [&](Code& at) { transposed(at, const_i64(kStretch)); });
      },
      width * kStretch);
  transposed_ = {};
  code.short_loop(whole, end, [&](Code& at, const Operand& i) {
    std::vector<Operand> indices = outer;
    indices.push_back(i);
    point(at, indices,
          [&](Code& inner, const std::vector<Operand>&, const std::vector<Operand>& values) {
            for (size_t k = 0; k < laned_.size(); ++k)
              combine(inner, laned_[k].sink->op[0], accs[k], sink_values(laned_[k], values));
          });
  });
}

// ---- in pieces
//
//   simd for j < 256:  stage[j] = what the thunk computes at point first + j
//   for j < 256:       acc = op(acc, stage[j])
//
// For thunks with loops, of which lanes take the same number of rounds.

bool KernelLowering::should_reduce_in_pieces() const {
  if (fn_.target_ != Target::kCpu || kernel_.guarded || !staged_.empty() ||
      kernel_.domain.kind == core::Domain::kSeg || !has_loop(kernel_.pull.body) ||
      !fits_pieces_of_points(kernel_.pull.body, core::free_names(kernel_.pull)))
    return false;
  for (const core::Ret& ret : kernel_.pull.results)
    if (!ret.type.is_scalar()) return false;
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind != Sink::kReduce || !is_straight_line(info.sink->op[0].fn.body))
      return false;
  const auto outer = [&](Name array) -> const ArrayPlace& { return fn_.place(array); };
  std::vector<const core::Stmt*> stmts;
  const auto collect = [&](const auto& self, const core::Body& body) -> void {
    for (const core::Stmt& stmt : body.stmts) {
      stmts.push_back(&stmt);
      core::for_each_body(stmt.exp, [&](const core::Body& inner) { self(self, inner); });
    }
  };
  collect(collect, kernel_.pull.body);
  return count_accesses(stmts, kernel_.pull.params.back().name, outer).scattered == 0;
}

void KernelLowering::reduce_in_pieces(Code& code, const std::vector<Operand>& outer,
                                      const Operand& begin, const Operand& end, const Feed& feed,
                                      const std::vector<Accumulators>& accs) {
  std::vector<Name> buffers;
  for (const core::Ret& ret : kernel_.pull.results)
    buffers.push_back(
        code.alloc(Space::kScratch, const_i64(kReducedPiece * prim_size(ret.type.elem)), "stage"));
  code.loop(
      begin, end,
      [&](Code& piece, const Operand& first) {
        const Operand last = piece.add_i64(
            first, piece.min_i64(const_i64(kReducedPiece), piece.sub_i64(end, first)));
        piece.loop(
            first, last,
            [&](Code& at, const Operand& i) {
              std::vector<Operand> indices = outer;
              indices.push_back(i);
              point(
                  at, indices,
                  [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                    for (size_t v = 0; v < values.size(); ++v)
                      here.add(Store{kernel_.pull.results[v].type.elem, buffers[v],
                                     here.sub_i64(i, first), values[v]});
                  });
            },
            1, LoopHint::kSimd);
        staged_ = buffers;
        staged_begin_ = first;
        piece.short_loop(first, last, [&](Code& at, const Operand& i) { feed(at, i, accs); });
        staged_.clear();
      },
      kReducedPiece);
}

}  // namespace skald::imp
