// SPDX-License-Identifier: Apache-2.0
// Reductions.
//
// Flat      fixed chunks in parallel, each with its own accumulators; then the chunks' values in
// order.  The
//           association depends on the length only, so results are the same on every machine.
// Grid      one segment per iteration of a parallel loop; few long segments are cut into chunks
//           instead.
//
// Inside a chunk or segment, a commutative operator on simple values gets kLanes interleaved
// accumulators in scratch memory, updated by a simd loop, which become vector registers.
#include "core/rename.h"
#include "core/visit.h"
#include "imp/lower/kernel_lowering.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Shorter reductions gain nothing from several accumulators.
constexpr int64_t kWorthLanes = 4 * kLanes;
constexpr int64_t kLeastChunk = 4096;
// Fewer segments than this are cut into chunks if they are long.
constexpr int64_t kFewSegments = 8;
constexpr int64_t kLongSegment = 32768;

// \a b -> a op b, or the pairwise version of it for several values.
bool is_simple_commutative(const Operator& op) {
  const size_t n = op.neutral.size();
  if (op.fn.body.stmts.size() != n || op.fn.body.result.size() != n) return false;
  for (size_t k = 0; k < n; ++k) {
    const core::Stmt& stmt = op.fn.body.stmts[k];
    const core::BinOp* node = core::as<core::BinOp>(stmt.exp);
    if (node == nullptr || !core::is_commutative(node->op) ||
        !(op.fn.body.result[k] == Operand{stmt.pat[0].name}))
      return false;
    const Operand a = op.fn.params[k].name, b = op.fn.params[n + k].name;
    if (!((node->lhs == a && node->rhs == b) || (node->lhs == b && node->rhs == a))) return false;
  }
  return true;
}

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
  return {values.begin() + static_cast<ptrdiff_t>(info.values),
          values.begin() + static_cast<ptrdiff_t>(info.values) + info.sink->count};
}

std::vector<Name> KernelLowering::partials(Code& code, const Operator& op, const Operand& count) {
  std::vector<Name> blocks;
  for (size_t k = 0; k < op.neutral.size(); ++k)
    blocks.push_back(code.alloc(
        Space::kHeap, code.mul_i64(count, const_i64(prim_size(op.fn.params[k].type.elem))),
        "partials"));
  return blocks;
}

// At least one, so that there is memory to point to.
Operand KernelLowering::chunk_count(Code& code, const Operand& n, const Operand& size) {
  const Operand rounded = code.binop(
      BinOpKind::kQuot, code.sub_i64(code.add_i64(n, size), const_i64(1)), size, "chunks");
  return code.max_i64(rounded, const_i64(1));
}

bool KernelLowering::can_interleave() const {
  if (kernel_.guarded) return false;
  for (const core::Stmt& stmt : kernel_.pull.body.stmts) {
    bool nested = core::as<core::Alloc>(stmt.exp) != nullptr ||
                  core::as<core::Assert>(stmt.exp) != nullptr ||
                  core::as<core::Call>(stmt.exp) != nullptr;
    core::for_each_body(stmt.exp, [&](const core::Body&) { nested = true; });
    if (nested) return false;
  }
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind != Sink::kReduce || !is_simple_commutative(info.sink->op[0])) return false;
  return true;
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
  const auto one_by_one = [&](Code& at) {
    at.loop(begin, end, [&](Code& inner, const Operand& i) { feed(inner, i, accs); });
  };
  if (!can_interleave()) return one_by_one(code);
  const Operand length = code.sub_i64(end, begin);
  code.branch(code.less_i64(length, const_i64(kWorthLanes)), one_by_one,
              [&](Code& at) { reduce_in_lanes(at, outer, begin, length, accs); });
}

void KernelLowering::reduce_in_lanes(Code& code, const std::vector<Operand>& outer,
                                     const Operand& begin, const Operand& length,
                                     const std::vector<Accumulators>& accs) {
  // lanes[k][v][lane]: value v of reduction k.
  std::vector<std::vector<Name>> lanes;
  for (const SinkInfo& info : sinks_) {
    const Operator& op = info.sink->op[0];
    lanes.emplace_back();
    for (size_t v = 0; v < op.neutral.size(); ++v) {
      const Prim type = op.fn.params[v].type.elem;
      lanes.back().push_back(
          code.alloc(Space::kScratch, const_i64(kLanes * prim_size(type)), "lanes"));
      code.add(
          Fill{type, lanes.back()[v], const_i64(0), const_i64(kLanes), fn_.value(op.neutral[v])});
    }
  }
  const auto load_lane = [&](Code& at, size_t k, const Operand& lane) {
    std::vector<Operand> values;
    for (size_t v = 0; v < lanes[k].size(); ++v)
      values.push_back(
          at.load(sinks_[k].sink->op[0].fn.params[v].type.elem, lanes[k][v], lane, "lane"));
    return values;
  };
  // The points first … first+count-1, one in each lane.
  const auto feed_lanes = [&](Code& at, const Operand& first, const Operand& count) {
    Code inner(at.program());
    const Name lane = at.fresh("lane");
    std::vector<Operand> indices = outer;
    indices.push_back(inner.add_i64(first, lane));
    point(inner, indices,
          [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
            for (size_t k = 0; k < sinks_.size(); ++k) {
              const Operator& op = sinks_[k].sink->op[0];
              std::vector<Operand> args = load_lane(here, k, lane);
              for (const Operand& value : sink_values(sinks_[k], values)) args.push_back(value);
              const std::vector<Operand> next = fn_.apply(here, op.fn, args);
              for (size_t v = 0; v < next.size(); ++v)
                here.add(Store{op.fn.params[v].type.elem, lanes[k][v], lane, next[v]});
            }
          });
    at.add(For{lane, Prim::kI64, const_i64(0), count, const_i64(1), inner.finish(), true});
  };
  const Operand rest = code.binop(BinOpKind::kAnd, length, const_i64(kLanes - 1), "rest");
  const Operand whole = code.add_i64(begin, code.sub_i64(length, rest));
  code.loop(
      begin, whole, [&](Code& at, const Operand& i) { feed_lanes(at, i, const_i64(kLanes)); },
      kLanes);
  feed_lanes(code, whole, rest);
  code.loop(const_i64(0), const_i64(kLanes), [&](Code& at, const Operand& lane) {
    for (size_t k = 0; k < sinks_.size(); ++k)
      combine(at, sinks_[k].sink->op[0], accs[k], load_lane(at, k, lane));
  });
}

void KernelLowering::reduce_segment_in_chunks(Code& code, const std::vector<Operand>& outer,
                                              const std::vector<Accumulators>& accs) {
  const Operand n = dims_.back();
  const Name size = code.fresh("chunk_size");
  code.add(ChunkSize{size, n, const_i64(kLeastChunk)});
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
    nonempty.loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
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
  reduce_segment_in_chunks(code, {}, accs);
  size_t k = 0;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != Sink::kReduce) continue;
    for (size_t v = 0; v < accs[k].size(); ++v)
      fn_.alias_[stmt_.pat[info.results + v].name] = accs[k][v];
    ++k;
  }
}

void KernelLowering::reduce_grid(Code& code) {
  const Operand segments = segment_count(code);
  const auto one_segment = [&](Code& at, const Operand& number, bool in_chunks) {
    const std::vector<Operand> outer = segment_indices(at, number);
    std::vector<Accumulators> accs;
    for (const SinkInfo& info : sinks_)
      if (info.sink->kind == Sink::kReduce) accs.push_back(start(at, info.sink->op[0]));
    if (in_chunks)
      reduce_segment_in_chunks(at, outer, accs);
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
  const Operand long_ones = code.less_i64(const_i64(kLongSegment), dims_.back());
  const Operand chunked =
      code.let(Prim::kBool, core::BinOp{BinOpKind::kAnd, Prim::kBool, few, long_ones}, "chunked");
  code.branch(
      chunked,
      [&](Code& inner) {
        inner.loop(const_i64(0), segments,
                   [&](Code& at, const Operand& number) { one_segment(at, number, true); });
      },
      [&](Code& inner) {
        inner.parallel_for(
            segments, [&](Code& at, const Operand& number) { one_segment(at, number, false); });
      });
}

}  // namespace skald::imp
