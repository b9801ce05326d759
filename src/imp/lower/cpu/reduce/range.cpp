// SPDX-License-Identifier: Apache-2.0
// The points of one range, by how they can be combined:
//
//   along        the lanes are neighbouring points, combined at the end (along.cpp)
//   in order     the lanes are neighbouring stretches, combined one after the other (in_order.cpp)
//   in streams   several parts side by side in scalar code, so that their operations overlap
//   in pieces    the thunk is a loop that is worth vectors, while the points are combined one by
//   one
#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "imp/lower/common/lane_code.h"
#include "imp/lower/cpu/reduce/reduce.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Shorter ranges gain nothing from parts in order.
constexpr int64_t kWorthOrder = 4 * kLanes;
// Parts of one reduction that are reduced side by side, if their points are cheap.
constexpr int64_t kReduceStreams = 4;
constexpr size_t kCheapRangePoint = 24;
// Points whose values wait to be combined.
constexpr int64_t kReducedPiece = 256;

struct Range {
  KernelWriter& kernel;
  const std::vector<Operand>& outer;
  const Operand& begin;
  const Operand& end;
  Operand length;
  const std::vector<Accumulators>& accs;

  void feed(Code& code, const Operand& i, const std::vector<Accumulators>& into) {
    std::vector<Operand> indices = outer;
    indices.push_back(i);
    reduce_point(kernel, code, indices, into);
  }
  void one_by_one(Code& code, LoopHint hint) {
    code.loop(begin, end, [&](Code& inner, const Operand& i) { feed(inner, i, accs); }, 1, hint);
  }
  // Few points one by one, others by `many`.
  void if_few(Code& code, int64_t few, const std::function<void(Code&)>& many) {
    code.branch(
        code.less_i64(length, const_i64(few)), [&](Code& at) { one_by_one(at, LoopHint::kShort); },
        many);
  }
};

// ---- reduce/along

WhyNot why_no_lanes_along(Range& range) {
  return why_not_along(range.kernel.facts);
}

void write_along(Range& range, Code& code, const Otherwise&) {
  const auto along = [&](Code& at) {
    reduce_along(range.kernel, at, range.kernel.facts.sinks_of(Sink::kReduce), range.outer,
                 range.begin, range.length, range.accs);
  };
  // A chunk is long, unless there is but one.
  if (range.outer.empty()) return along(code);
  range.if_few(code, kWorthLanes, along);
}

// ---- reduce/in-order

WhyNot why_not_in_order(Range& range) {
  if (ordered_lanes(range.kernel, Sink::kReduce) > 0) return std::nullopt;
  return "lanes that are stretches would not pay";
}

void write_in_order(Range& range, Code& code, const Otherwise&) {
  range.if_few(code, kWorthOrder, [&](Code& at) {
    reduce_in_order(range.kernel, at, Sink::kReduce, range.outer, range.begin, range.end,
                    range.accs);
  });
}

// ---- reduce/in-streams

WhyNot why_not_in_streams(Range& range) {
  if (!range.kernel.facts.scalar_code) return "the points are no scalar code";
  if (range.kernel.node.pull.body.stmts.size() > kCheapRangePoint)
    return "the points keep the processor busy as they are";
  return std::nullopt;
}

void write_streams(Range& range, Code& code) {
  KernelWriter& kernel = range.kernel;
  std::vector<std::vector<Accumulators>> streams = {range.accs};
  for (int64_t s = 1; s < kReduceStreams; ++s)
    streams.push_back(kernel.start_all(code, Sink::kReduce));
  const Operand part =
      code.binop(BinOpKind::kQuot, range.length, const_i64(kReduceStreams), "part");
  const auto feed = [&](Code& at, const Operand& i, const std::vector<Accumulators>& into) {
    range.feed(at, at.add_i64(range.begin, i), into);
  };
  code.loop(const_i64(0), part, [&](Code& at, const Operand& i) {
    for (size_t s = 0; s < streams.size(); ++s)
      feed(at, at.add_i64(at.mul_i64(part, const_i64(static_cast<int64_t>(s))), i), streams[s]);
  });
  const std::vector<const Operator*> ops = kernel.facts.operators(Sink::kReduce);
  for (size_t s = 1; s < streams.size(); ++s)
    for (size_t k = 0; k < ops.size(); ++k)
      kernel.combine(code, *ops[k], range.accs[k], {streams[s][k].begin(), streams[s][k].end()});
  code.short_loop(code.mul_i64(part, const_i64(kReduceStreams)), range.length,
                  [&](Code& at, const Operand& i) { feed(at, i, range.accs); });
}

void write_in_streams(Range& range, Code& code, const Otherwise&) {
  range.if_few(code, kWorthOrder, [&](Code& at) { write_streams(range, at); });
}

// ---- reduce/in-pieces
//
//   simd for j < 256:  stage[j] = what the thunk computes at point first + j
//   for j < 256:       acc = op(acc, stage[j])
//
// For thunks with loops, of which lanes take the same number of rounds.

WhyNot why_not_in_pieces(Range& range) {
  KernelWriter& kernel = range.kernel;
  const core::Lambda& pull = kernel.node.pull;
  if (!kernel.facts.has_vectors || kernel.node.guarded || kernel.staged != nullptr ||
      kernel.facts.is_seg)
    return "the points are not those of a plain range";
  if (!has_loop(pull.body)) return "the thunk has no loop";
  if (!fits_pieces_of_points(pull.body, core::free_names(pull)))
    return "lanes would take different numbers of rounds";
  for (const core::Ret& ret : pull.results)
    if (!ret.type.is_scalar()) return "points are arrays";
  for (const SinkInfo& info : kernel.facts.sinks)
    if (info.sink->kind != Sink::kReduce || !is_straight_line(info.sink->op[0].fn.body))
      return "it does more than reduce by straight code";
  const auto outer = [&](Name array) -> const ArrayPlace& { return kernel.fn.place(array); };
  std::vector<const core::Stmt*> stmts;
  const auto collect = [&](const auto& self, const core::Body& body) -> void {
    for (const core::Stmt& stmt : body.stmts) {
      stmts.push_back(&stmt);
      core::for_each_body(stmt.exp, [&](const core::Body& inner) { self(self, inner); });
    }
  };
  collect(collect, pull.body);
  if (count_accesses(stmts, pull.params.back().name, outer).scattered > 0)
    return "neighbouring points read elements far apart";
  return std::nullopt;
}

void write_in_pieces(Range& range, Code& code, const Otherwise&) {
  KernelWriter& kernel = range.kernel;
  Staged staged;
  for (const core::Ret& ret : kernel.node.pull.results)
    staged.buffers.push_back(
        code.alloc(Space::kScratch, const_i64(kReducedPiece * prim_size(ret.type.elem)), "stage"));
  code.loop(
      range.begin, range.end,
      [&](Code& piece, const Operand& first) {
        const Operand last = piece.add_i64(
            first, piece.min_i64(const_i64(kReducedPiece), piece.sub_i64(range.end, first)));
        piece.loop(
            first, last,
            [&](Code& at, const Operand& i) {
              const auto keep = [&](Code& here, const std::vector<Operand>&,
                                    const std::vector<Operand>& values) {
                for (size_t v = 0; v < values.size(); ++v)
                  here.add(Store{kernel.node.pull.results[v].type.elem, staged.buffers[v],
                                 here.sub_i64(i, first), values[v]});
              };
              kernel.point(at, range.outer, i, keep);
            },
            1, LoopHint::kSimd);
        staged.begin = first;
        const PointsFrom waiting(kernel, staged);
        piece.short_loop(first, last,
                         [&](Code& at, const Operand& i) { range.feed(at, i, range.accs); });
      },
      kReducedPiece);
}

// ---- reduce/one-by-one

void write_one_by_one(Range& range, Code& code, const Otherwise&) {
  range.one_by_one(code, LoopHint::kNone);
}

constexpr StrategyFor<Range> kRanges[] = {
    {"reduce/along", why_no_lanes_along, write_along},
    {"reduce/in-order", why_not_in_order, write_in_order},
    {"reduce/in-streams", why_not_in_streams, write_in_streams},
    {"reduce/in-pieces", why_not_in_pieces, write_in_pieces},
    {"reduce/one-by-one", always_fits, write_one_by_one},
};

}  // namespace

void add_range_names(std::vector<StrategyName>& names) {
  add_names(std::span<const StrategyFor<Range>>(kRanges), names);
}

void reduce_range(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                  const Operand& begin, const Operand& end, const std::vector<Accumulators>& accs) {
  Range range{kernel, outer, begin, end, code.sub_i64(end, begin), accs};
  choose(std::span<const StrategyFor<Range>>(kRanges), range, code);
}

void reduce_point(KernelWriter& kernel, Code& code, const std::vector<Operand>& indices,
                  const std::vector<Accumulators>& accs) {
  kernel.point(code, indices,
               [&](Code& at, const std::vector<Operand>& all, const std::vector<Operand>& values) {
                 kernel.combine_all(at, accs, values);
                 kernel.direct_sinks(at, all, values);
               });
}

void store_reduced(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                   const std::vector<Accumulators>& accs) {
  size_t k = 0;
  for (const SinkInfo& info : kernel.facts.sinks_of(Sink::kReduce)) {
    for (size_t v = 0; v < accs[k].size(); ++v)
      kernel.fn.store(code, kernel.result_place(info.results + v), outer, accs[k][v]);
    ++k;
  }
}

void reduce_segment_in_chunks(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                              const Operand& n, const std::vector<Accumulators>& accs) {
  const Name size = code.fresh("chunk_size");
  code.add(ChunkSize{size, n, const_i64(kernel.facts.least_chunk)});
  const Operand chunks = chunk_count(code, n, size);
  const std::vector<const Operator*> ops = kernel.facts.operators(Sink::kReduce);
  std::vector<std::vector<Name>> blocks;
  for (const Operator* op : ops) blocks.push_back(kernel.partials(code, *op, chunks));
  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        const std::vector<Accumulators> local = kernel.start_all(inner, Sink::kReduce);
        reduce_range(kernel, inner, outer, begin, end, local);
        for (size_t k = 0; k < ops.size(); ++k)
          for (size_t v = 0; v < local[k].size(); ++v)
            inner.add(Store{ops[k]->fn.params[v].type.elem, blocks[k][v], chunk, local[k][v]});
      });
  code.branch(code.less_i64(const_i64(0), n),
              [&](Code& some) { kernel.combine_partials(some, ops, blocks, chunks, accs); });
  for (const auto& list : blocks)
    for (const Name block : list) code.add(Free{block});
}

}  // namespace skald::imp
