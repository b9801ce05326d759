// SPDX-License-Identifier: Apache-2.0
// Reductions.
//
// Flat      fixed chunks in parallel, each with its own accumulators; then the chunks' values in
// order.  The
//           association depends on the length only, so results are the same on every machine.
// Grid      one segment per iteration of a parallel loop; few long segments are cut into chunks
//           instead.
//
// Inside a chunk or segment, simple thunks run in vector lanes; see lanes.cpp.
#include "core/edit/rename.h"
#include "core/ir/sinks.h"
#include "core/ir/visit.h"
#include "imp/lower/common/lane_code.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Rows of integers whose neighbours are lanes rather than parts of each of them.
constexpr int64_t kMediumRow = 1024;
// Shorter ones gain nothing from parts in order.
constexpr int64_t kWorthOrder = 4 * kLanes;
// Of few segments, those that are at least this long are cut into chunks.
constexpr int64_t kLongRow = 32768;
// Short rows, or parts of one reduction, that are reduced side by side, if their points are cheap.
constexpr int64_t kRowsAtOnce = 4;
constexpr size_t kCheapPoint = 24;
// Rows that have code of their own if they turn out to be so short.
constexpr int64_t kMostKnown = 3;

}  // namespace

Accumulators KernelLowering::start(Code& code, const Operator& op) {
  Accumulators acc;
  for (size_t k = 0; k < op.neutral.size(); ++k)
    acc.push_back(code.var(op.fn.params[k].type.elem, fn_.value(op.neutral[k]), "acc"));
  return acc;
}

void KernelLowering::combine(Code& code, const Operator& op, const Accumulators& acc,
                             const std::vector<Operand>& values) {
  std::vector<Operand> args(acc.begin(), acc.end());
  args.insert(args.end(), values.begin(), values.end());
  std::vector<Operand> next = fn_.apply(code, op.fn, args);
  if (fn_.options_.fused_sums && !has(Sink::kScan) && !has(Sink::kHist))
    for (Operand& sum : next) sum = code.fused(sum);
  // A result that is another accumulator is read before that one changes.
  for (size_t k = 0; k < next.size(); ++k) {
    const Name* name = core::as_name(next[k]);
    if (name != nullptr && std::find(acc.begin(), acc.end(), *name) != acc.end() &&
        !(*name == acc[k]))
      next[k] = code.let(op.fn.params[k].type.elem, core::Value{next[k]}, "saved");
  }
  for (size_t k = 0; k < next.size(); ++k)
    if (!(next[k] == Operand{acc[k]})) code.add(Assign{acc[k], next[k]});
}

std::vector<Operand> KernelLowering::sink_values(const SinkInfo& info,
                                                 const std::vector<Operand>& values) const {
  const bool is_hist = info.sink->kind == Sink::kHist;
  const auto first = values.begin() + static_cast<ptrdiff_t>(info.values);
  return {first, first + (is_hist ? static_cast<ptrdiff_t>(core::values_of_write(*info.sink))
                                  : info.sink->count)};
}

std::vector<Name> KernelLowering::partials(Code& code, const Operator& op, const Operand& count) {
  std::vector<Name> blocks;
  for (size_t k = 0; k < op.neutral.size(); ++k)
    blocks.push_back(code.alloc(
        Space::kHeap, code.mul_i64(count, const_i64(prim_size(op.fn.params[k].type.elem))),
        "partials"));
  return blocks;
}

void KernelLowering::combine_partials(Code& code, const std::vector<const Operator*>& ops,
                                      const std::vector<std::vector<Name>>& partial,
                                      const Operand& chunks,
                                      const std::vector<Accumulators>& accs) {
  code.short_loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
    for (size_t k = 0; k < ops.size(); ++k) {
      std::vector<Operand> values;
      for (size_t v = 0; v < partial[k].size(); ++v)
        values.push_back(
            inner.load(ops[k]->fn.params[v].type.elem, partial[k][v], chunk, "partial"));
      combine(inner, *ops[k], accs[k], values);
    }
  });
}

// At least one, so that there is memory to point to.
Operand KernelLowering::chunk_count(Code& code, const Operand& n, const Operand& size) {
  const Operand rounded = code.binop(
      BinOpKind::kQuot, code.sub_i64(code.add_i64(n, size), const_i64(1)), size, "chunks");
  return code.max_i64(rounded, const_i64(1));
}

void KernelLowering::reduce_range(Code& code, const std::vector<Operand>& outer,
                                  const Operand& begin, const Operand& end,
                                  const std::vector<Accumulators>& accs) {
  const auto feed = [&](Code& at, const Operand& i, const std::vector<Accumulators>& into) {
    std::vector<Operand> indices = outer;
    indices.push_back(i);
    point(at, indices,
          [&](Code& inner, const std::vector<Operand>& all, const std::vector<Operand>& values) {
            size_t reduction = 0;
            for (const SinkInfo& info : sinks_) {
              if (info.sink->kind != Sink::kReduce) continue;
              combine(inner, info.sink->op[0], into[reduction++], sink_values(info, values));
            }
            direct_sinks(inner, all, values);
          });
  };
  const auto one_by_one = [&](LoopHint hint) {
    return [&, hint](Code& at) {
      at.loop(begin, end, [&](Code& inner, const Operand& i) { feed(inner, i, accs); }, 1, hint);
    };
  };
  const Operand length = code.sub_i64(end, begin);
  if (!can_reduce_along()) {
    const bool lanes = ordered_lanes(Sink::kReduce) > 0;
    const bool streams = is_scalar_code() && kernel_.pull.body.stmts.size() <= kCheapPoint;
    if (!lanes && !streams && should_reduce_in_pieces())
      return reduce_in_pieces(code, outer, begin, end, feed, accs);
    if (!lanes && !streams) return one_by_one(LoopHint::kNone)(code);
    return code.branch(
        code.less_i64(length, const_i64(kWorthOrder)), one_by_one(LoopHint::kShort), [&](Code& at) {
          if (lanes) return reduce_in_order(at, outer, begin, end, accs);
          reduce_in_streams(
              at, length,
              [&](Code& inner, const Operand& i, const std::vector<Accumulators>& into) {
                feed(inner, inner.add_i64(begin, i), into);
              },
              accs);
        });
  }
  // A chunk is long, unless there is but one.
  if (outer.empty()) return reduce_along(code, outer, begin, length, accs);
  code.branch(code.less_i64(length, const_i64(kWorthLanes)), one_by_one(LoopHint::kShort),
              [&](Code& at) { reduce_along(at, outer, begin, length, accs); });
}

void KernelLowering::reduce_in_streams(Code& code, const Operand& length, const Feed& feed,
                                       const std::vector<Accumulators>& accs) {
  std::vector<std::vector<Accumulators>> streams = {accs};
  for (int64_t s = 1; s < kRowsAtOnce; ++s) streams.push_back(start_all(code, Sink::kReduce));
  const Operand part = code.binop(BinOpKind::kQuot, length, const_i64(kRowsAtOnce), "part");
  code.loop(const_i64(0), part, [&](Code& at, const Operand& i) {
    for (size_t s = 0; s < streams.size(); ++s)
      feed(at, at.add_i64(at.mul_i64(part, const_i64(static_cast<int64_t>(s))), i), streams[s]);
  });
  const std::vector<const Operator*> ops = operators(Sink::kReduce);
  for (size_t s = 1; s < streams.size(); ++s)
    for (size_t k = 0; k < ops.size(); ++k)
      combine(code, *ops[k], accs[k], {streams[s][k].begin(), streams[s][k].end()});
  code.short_loop(code.mul_i64(part, const_i64(kRowsAtOnce)), length,
                  [&](Code& at, const Operand& i) { feed(at, i, accs); });
}

void KernelLowering::reduce_segment_in_chunks(Code& code, const std::vector<Operand>& outer,
                                              const Operand& n,
                                              const std::vector<Accumulators>& accs) {
  const Name size = code.fresh("chunk_size");
  code.add(ChunkSize{size, n, const_i64(least_chunk())});
  const Operand chunks = chunk_count(code, n, size);
  std::vector<const Operator*> ops;
  std::vector<std::vector<Name>> blocks;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != Sink::kReduce) continue;
    ops.push_back(&info.sink->op[0]);
    blocks.push_back(partials(code, *ops.back(), chunks));
  }
  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        std::vector<Accumulators> local;
        for (const Operator* op : ops) local.push_back(start(inner, *op));
        reduce_range(inner, outer, begin, end, local);
        for (size_t k = 0; k < ops.size(); ++k)
          for (size_t v = 0; v < local[k].size(); ++v)
            inner.add(Store{ops[k]->fn.params[v].type.elem, blocks[k][v], chunk, local[k][v]});
      });
  const Operand some = code.less_i64(const_i64(0), n);
  code.branch(some, [&](Code& nonempty) {
    nonempty.short_loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
      for (size_t k = 0; k < ops.size(); ++k) {
        std::vector<Operand> values;
        for (size_t v = 0; v < blocks[k].size(); ++v)
          values.push_back(
              inner.load(ops[k]->fn.params[v].type.elem, blocks[k][v], chunk, "partial"));
        combine(inner, *ops[k], accs[k], values);
      }
    });
  });
  for (const auto& list : blocks)
    for (const Name block : list) code.add(Free{block});
}

void KernelLowering::reduce_flat(Code& code) {
  std::vector<Accumulators> accs;
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind == Sink::kReduce) accs.push_back(start(code, info.sink->op[0]));
  reduce_segment_in_chunks(code, {}, dims_.back(), accs);
  size_t k = 0;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != Sink::kReduce) continue;
    for (size_t v = 0; v < accs[k].size(); ++v)
      fn_.alias_[stmt_.pat[info.results + v].name] = accs[k][v];
    ++k;
  }
}

// Segments first … first+rows-1 side by side, so that their chains of operations overlap.
void KernelLowering::reduce_rows(Code& code, const Operand& first, int64_t rows) {
  std::vector<std::vector<Operand>> outer;
  std::vector<std::vector<Accumulators>> accs;
  for (int64_t r = 0; r < rows; ++r) {
    outer.push_back(segment_indices(code, code.add_i64(first, const_i64(r))));
    accs.push_back(start_all(code, Sink::kReduce));
  }
  code.short_loop(const_i64(0), dims_.back(), [&](Code& inner, const Operand& j) {
    for (size_t r = 0; r < outer.size(); ++r) {
      std::vector<Operand> indices = outer[r];
      indices.push_back(j);
      reduce_point(inner, indices, accs[r]);
    }
  });
  for (size_t r = 0; r < outer.size(); ++r) store_reduced(code, outer[r], accs[r]);
}

void KernelLowering::reduce_point(Code& code, const std::vector<Operand>& indices,
                                  const std::vector<Accumulators>& accs) {
  point(code, indices,
        [&](Code& at, const std::vector<Operand>& all, const std::vector<Operand>& values) {
          size_t k = 0;
          for (const SinkInfo& info : sinks_)
            if (info.sink->kind == Sink::kReduce)
              combine(at, info.sink->op[0], accs[k++], sink_values(info, values));
          direct_sinks(at, all, values);
        });
}

void KernelLowering::store_reduced(Code& code, const std::vector<Operand>& outer,
                                   const std::vector<Accumulators>& accs) {
  size_t k = 0;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != Sink::kReduce) continue;
    for (size_t v = 0; v < accs[k].size(); ++v)
      fn_.store(code, result_place(info.results + v), outer, accs[k][v]);
    ++k;
  }
}

void KernelLowering::reduce_grid(Code& code) {
  if (const std::vector<int64_t> lengths = short_rows(); !lengths.empty())
    return reduce_short_rows(code, lengths);
  if_rows_of(
      code, kMostKnown, [&](Code& at) { reduce_short_rows(at, short_rows()); },
      [&](Code& at) { reduce_long_rows(at); });
}

// May the points of a segment be combined in any order?
bool KernelLowering::is_exact_reduction() const {
  return std::ranges::all_of(sinks_, [](const SinkInfo& info) {
    if (!is_simple_commutative(info.sink->op[0])) return false;
    return std::ranges::all_of(info.sink->op[0].fn.params,
                               [](const core::Param& p) { return is_int(p.type.elem); });
  });
}

void KernelLowering::reduce_long_rows(Code& code) {
  if (should_reduce_across()) return reduce_across(code);
  const auto by_rows = [&](Code& at) { reduce_by_rows(at); };
  const auto is_wide = [&] {
    return code.less_i64(const_i64(kLanes - 1), dims_[dims_.size() - 2]);
  };
  if (!can_reduce_along() && shares_points(code))
    return code.branch(is_wide(), [&](Code& at) { reduce_across(at); }, by_rows);
  if (!reads_near_across()) return by_rows(code);
  // Short rows fill no vector, neighbouring ones do.
  const auto is_shorter = [&](int64_t length) {
    return code.less_i64(dims_.back(), const_i64(length));
  };
  const Operand across = code.both(is_shorter(kWorthLanes), is_wide(), "across");
  const auto in_columns = [&](Code& at) { reduce_short_across(at); };
  if (!is_exact_reduction() || has_slow_operation(kernel_.pull.body))
    return code.branch(across, in_columns, by_rows);
  // Of integers the order does not matter: lanes that are segments need not be combined.
  const Operand columns = dims_[dims_.size() - 2];
  const Operand rest = code.binop(BinOpKind::kAnd, columns, const_i64(kLanes - 1), "rest");
  const Operand few = code.less_i64(code.mul_i64(rest, const_i64(kLanes)), columns);
  const Operand medium = code.both(few, is_shorter(kMediumRow), "medium");
  code.branch(code.either(across, medium, "across"), in_columns, by_rows);
}

void KernelLowering::reduce_by_rows(Code& code) {
  const Operand segments = segment_count(code);
  const auto one_segment = [&](Code& at, const Operand& number, bool in_chunks) {
    const std::vector<Operand> outer = segment_indices(at, number);
    std::vector<Accumulators> accs;
    for (const SinkInfo& info : sinks_)
      if (info.sink->kind == Sink::kReduce) accs.push_back(start(at, info.sink->op[0]));
    if (in_chunks)
      reduce_segment_in_chunks(at, outer, dims_.back(), accs);
    else
      reduce_range(at, outer, const_i64(0), dims_.back(), accs);
    size_t k = 0;
    for (const SinkInfo& info : sinks_) {
      if (info.sink->kind != Sink::kReduce) continue;
      for (size_t v = 0; v < accs[k].size(); ++v)
        fn_.store(at, result_place(info.results + v), outer, accs[k][v]);
      ++k;
    }
  };
  const Operand few = code.less_i64(segments, const_i64(kFewSegments));
  const Operand long_ones = code.less_i64(const_i64(kLongRow), dims_.back());
  const Operand chunked = code.both(few, long_ones, "chunked");
  code.branch(
      chunked,
      [&](Code& inner) {
        inner.loop(const_i64(0), segments,
                   [&](Code& at, const Operand& number) { one_segment(at, number, true); });
      },
      [&](Code& inner) {
        const auto one_by_one = [&](Code& at) {
          at.parallel_for(
              segments, segment_grain(at, dims_.back()),
              [&](Code& here, const Operand& number) { one_segment(here, number, false); });
        };
        const Const* length = core::as_const(dims_.back());
        const bool long_rows = length != nullptr && core::int_value(*length) >= kWorthLanes;
        if (long_rows || !is_straight() || kernel_.pull.body.stmts.size() > kCheapPoint)
          return one_by_one(inner);
        const auto in_groups = [&](Code& at, int64_t rows, const Code::LoopBody& group_of_rows) {
          segments_in_groups(at, segments, rows, group_of_rows,
                             [&](Code& here, const Operand& row) { reduce_rows(here, row, 1); });
        };
        const auto few_at_once = [&](Code& at) {
          in_groups(at, kRowsAtOnce, [&](Code& here, const Operand& first) {
            reduce_rows(here, first, kRowsAtOnce);
          });
        };
        const std::optional<RowReads> found = reads_of_rows(inner);
        const auto side_by_side = [&](Code& at) {
          if (!found) return few_at_once(at);
          at.branch(at.less_i64(dims_.back(), const_i64(found->shortest)), few_at_once,
                    [&](Code& longer) {
                      in_groups(longer, kLanes, [&](Code& here, const Operand& first) {
                        reduce_rows_in_lanes(here, *found, first, kWorthLanes);
                      });
                    });
        };
        if (length != nullptr) return side_by_side(inner);
        inner.branch(inner.less_i64(dims_.back(), const_i64(kWorthLanes)), side_by_side,
                     one_by_one);
      });
}

}  // namespace skald::imp
