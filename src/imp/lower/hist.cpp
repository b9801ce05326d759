// SPDX-License-Identifier: Apache-2.0
// Histograms.
//
//   small beside the input     every chunk fills copies of its own, which are combined bin by bin
//                              in order
//   an operator on integers    atomic updates from all threads; the order does not matter
//   otherwise                  all points in order
//
// All give the same result in every run.
#include "core/visit.h"
#include "imp/lower/kernel_lowering.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// The model: what is done depends on the number of points and of bins only (docs/cpu.md has the
// reasons).
//
// Every copy has this many points for each of its bins, and at least so many altogether.
constexpr int64_t kPointsPerBin = 2, kLeastPoints = 1 << 14;
constexpr int64_t kMostCopies = 32, kMostLargeCopies = 8, kLargeBins = 1 << 16;
// A histogram of at most this many bytes is so small that equal neighbouring keys are likely; a
// chunk then has several copies.
constexpr int64_t kTinyBytes = 4096;
constexpr int64_t kHistLanes = 4;
// Not worth a task.
constexpr int64_t kFewPoints = 1 << 13;

}  // namespace

void KernelLowering::hist_update(Code& code, const SinkInfo& info,
                                 const std::vector<ArrayPlace>& dests,
                                 const std::vector<Operand>& values) {
  const auto first = values.begin() + static_cast<ptrdiff_t>(info.values);
  const std::vector<Operand> at(first, first + static_cast<ptrdiff_t>(info.sink->shape.size()));
  hist_update_at(code, info, in_bounds(code, at, info.sink->shape), at, dests, values);
}

void KernelLowering::hist_update_at(Code& code, const SinkInfo& info, const Operand& inside,
                                    const std::vector<Operand>& at,
                                    const std::vector<ArrayPlace>& dests,
                                    const std::vector<Operand>& values) {
  const size_t rank = info.sink->shape.size();
  const std::vector<Operand> all = sink_values(info, values);
  code.branch(inside, [&](Code& inner) {
    std::vector<Operand> args;
    for (const ArrayPlace& dest : dests) args.push_back(fn_.load(inner, dest, at, "old"));
    args.insert(args.end(), all.begin() + static_cast<ptrdiff_t>(rank), all.end());
    const std::vector<Operand> next = fn_.apply(inner, info.sink->op[0].fn, args);
    for (size_t k = 0; k < dests.size(); ++k) fn_.store(inner, dests[k], at, next[k]);
  });
}

void KernelLowering::hist_in_order(Code& code, const Operand& begin, const Operand& end) {
  points(code, begin, end,
         [&](Code& inner, const std::vector<Operand>& indices, const std::vector<Operand>& values) {
           for (const SinkInfo& info : sinks_) {
             if (info.sink->kind != Sink::kHist) continue;
             std::vector<ArrayPlace> dests;
             for (size_t k = 0; k < info.sink->dests.size(); ++k)
               dests.push_back(result_place(info.results + k));
             hist_update(inner, info, dests, values);
           }
           direct_sinks(inner, indices, values);
         });
}

Operand KernelLowering::point_count(Code& code) {
  Operand total = const_i64(1);
  for (const Operand& dim : dims_) total = code.mul_i64(total, dim);
  return total;
}

// Does every outer index have bins of its own?
bool KernelLowering::has_own_bins() const {
  if (dims_.size() < 2) return false;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != Sink::kHist) continue;
    for (size_t k = 0; k + 1 < dims_.size(); ++k)
      if (k >= info.sink->shape.size() ||
          !(kernel_.pull.body.result[info.values + k] == Operand{kernel_.pull.params[k].name}))
        return false;
  }
  return true;
}

Operand KernelLowering::bin_count(Code& code, const SinkInfo& info) {
  Operand bins = const_i64(1);
  for (const Operand& dim : info.sink->shape) bins = code.mul_i64(bins, fn_.value(dim));
  return bins;
}

// Room for `count` copies of every array of a histogram.
std::vector<Name> KernelLowering::bin_copies(Code& code, const SinkInfo& info,
                                             const Operand& count) {
  const Operand elements = code.mul_i64(count, bin_count(code, info));
  std::vector<Name> copies;
  for (size_t k = 0; k < info.sink->dests.size(); ++k) {
    const Operand bytes = const_i64(prim_size(info.sink->op[0].fn.params[k].type.elem));
    copies.push_back(code.alloc(Space::kHeap, code.mul_i64(elements, bytes), "copies"));
  }
  return copies;
}

// The copy of one chunk, full of neutral elements.
std::vector<ArrayPlace> KernelLowering::start_copy(Code& code, const SinkInfo& info,
                                                   const std::vector<Name>& copies,
                                                   const Operand& chunk) {
  std::vector<ArrayPlace> dests;
  const Operand first = code.mul_i64(chunk, bin_count(code, info));
  for (size_t k = 0; k < copies.size(); ++k) {
    ArrayPlace dest{result_place(info.results + k).type, {copies[k], first}};
    fn_.fill(code, dest, info.sink->op[0].neutral[k]);
    dests.push_back(std::move(dest));
  }
  return dests;
}

// Bin by bin, first the destination, then the copies in order.
void KernelLowering::combine_copies(Code& code, const SinkInfo& info,
                                    const std::vector<Name>& copies, const Operand& chunks) {
  const Operator& op = info.sink->op[0];
  const Operand bins = bin_count(code, info);
  code.parallel_for(bins, const_i64(grain()), [&](Code& at, const Operand& bin) {
    std::vector<Operand> indices = {bin};
    if (info.sink->shape.size() > 1) {
      indices.assign(info.sink->shape.size(), const_i64(0));
      Operand rest = bin;
      for (size_t k = indices.size(); k-- > 1;) {
        const Operand dim = fn_.value(info.sink->shape[k]);
        const Operand quotient = at.binop(BinOpKind::kQuot, rest, dim, "i");
        indices[k] = at.sub_i64(rest, at.mul_i64(quotient, dim));
        rest = quotient;
      }
      indices[0] = rest;
    }
    Accumulators acc;
    for (size_t k = 0; k < copies.size(); ++k)
      acc.push_back(at.var(op.fn.params[k].type.elem,
                           fn_.load(at, result_place(info.results + k), indices, "old"), "acc"));
    at.short_loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
      std::vector<Operand> values;
      const Operand place = inner.add_i64(inner.mul_i64(chunk, bins), bin);
      for (size_t k = 0; k < copies.size(); ++k)
        values.push_back(inner.load(op.fn.params[k].type.elem, copies[k], place, "value"));
      combine(inner, op, acc, values);
    });
    for (size_t k = 0; k < copies.size(); ++k)
      fn_.store(at, result_place(info.results + k), indices, acc[k]);
  });
}

void KernelLowering::hist_with_copies(Code& code, const SinkInfo& info, const Operand& most,
                                      const Operand& lanes) {
  const Operand n = point_count(code);
  const Operator& op = info.sink->op[0];
  const Operand size = chunk_count(code, n, most);
  const Operand chunks = chunk_count(code, n, size);
  const Operand bins = bin_count(code, info);
  const Operand of_chunk = code.mul_i64(bins, lanes);
  const Operand last_lane = code.sub_i64(lanes, const_i64(1));
  const Operand count = code.mul_i64(chunks, lanes);
  const std::vector<Name> copies = bin_copies(code, info, count);
  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        const Operand first = inner.mul_i64(chunk, of_chunk);
        for (size_t k = 0; k < copies.size(); ++k)
          inner.add(Fill{op.fn.params[k].type.elem, copies[k], first, of_chunk,
                         fn_.value(op.neutral[k])});
        // Neighbouring points use different copies.
        points(inner, begin, end,
               [&](Code& here, const std::vector<Operand>& indices,
                   const std::vector<Operand>& values) {
                 const Operand lane =
                     here.binop(BinOpKind::kAnd, indices.back(), last_lane, "lane");
                 const Operand start = here.add_i64(first, here.mul_i64(lane, bins));
                 std::vector<ArrayPlace> dests;
                 for (size_t k = 0; k < copies.size(); ++k)
                   dests.push_back({result_place(info.results + k).type, {copies[k], start}});
                 hist_update(here, info, dests, values);
               });
      });
  const Operand some = code.less_i64(const_i64(0), n);
  code.branch(some, [&](Code& nonempty) { combine_copies(nonempty, info, copies, count); });
  for (const Name block : copies) code.add(Free{block});
}

// The operator that an atomic instruction can do, exactly and in any order.
std::optional<BinOpKind> KernelLowering::exact_operator(const Sink& sink) const {
  const core::Lambda& fn = sink.op[0].fn;
  if (sink.dests.size() != 1 || fn.params.size() != 2 || fn.body.stmts.size() != 1)
    return std::nullopt;
  const core::Stmt& only = fn.body.stmts[0];
  const core::BinOp* node = core::as<core::BinOp>(only.exp);
  if (node == nullptr || !is_int(node->type) || !(fn.body.result[0] == Operand{only.pat[0].name}))
    return std::nullopt;
  const Operand left = fn.params[0].name, right = fn.params[1].name;
  if (!(node->lhs == left && node->rhs == right) && !(node->lhs == right && node->rhs == left))
    return std::nullopt;
  switch (node->op) {
    case BinOpKind::kAdd:
    case BinOpKind::kMul:
    case BinOpKind::kMin:
    case BinOpKind::kMax:
    case BinOpKind::kAnd:
    case BinOpKind::kOr:
    case BinOpKind::kXor: return node->op;
    default: return std::nullopt;
  }
}

bool KernelLowering::can_be_atomic() const {
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind == Sink::kHist && !exact_operator(*info.sink)) return false;
  return true;
}

void KernelLowering::hist_atomic_update(Code& code, const SinkInfo& info,
                                        const std::vector<Operand>& values) {
  const std::vector<Operand> all = sink_values(info, values);
  const std::vector<Operand> at(all.begin(), all.end() - 1);
  code.branch(in_bounds(code, at, info.sink->shape), [&](Code& inside) {
    const ArrayPlace& dest = result_place(info.results);
    inside.add(Atomic{*exact_operator(*info.sink), dest.type.elem, dest.loc.block,
                      fn_.address(inside, dest, at), all.back()});
  });
}

void KernelLowering::hist_atomically(Code& code) {
  code.parallel_range(point_count(code), const_i64(grain()),
                      [&](Code& piece, const Operand& begin, const Operand& end) {
                        points(piece, begin, end,
                               [&](Code& inner, const std::vector<Operand>& indices,
                                   const std::vector<Operand>& values) {
                                 for (const SinkInfo& info : sinks_)
                                   if (info.sink->kind == Sink::kHist)
                                     hist_atomic_update(inner, info, values);
                                 direct_sinks(inner, indices, values);
                               });
                      });
}

void KernelLowering::hist(Code& code) {
  const Operand total = point_count(code);
  const bool atomic = can_be_atomic();
  const auto all_at_once = [&](Code& inner) {
    atomic ? hist_atomically(inner) : hist_in_order(inner, const_i64(0), total);
  };
  const auto one_by_one = [&](Code& at) {
    if (sinks_.size() > 1) return all_at_once(at);
    const SinkInfo& info = sinks_[0];
    const Operand bins = bin_count(at, info);
    int64_t bytes = 0;
    for (size_t k = 0; k < info.sink->dests.size(); ++k)
      bytes += prim_size(result_place(info.results + k).type.elem);
    // Combining the copies must cost little beside filling them, and so must starting a task.
    const bool cheap = grain() > 0;
    const Operand each = at.max_i64(at.mul_i64(bins, const_i64(kPointsPerBin)),
                                    const_i64(cheap ? kLeastPoints : least_chunk()));
    const Operand most = at.let(Prim::kI64,
                                core::Select{at.less_i64(bins, const_i64(kLargeBins)),
                                             const_i64(kMostCopies), const_i64(kMostLargeCopies)},
                                "most");
    const Operand copies = at.min_i64(most, at.binop(BinOpKind::kQuot, total, each, "copies"));
    const Operand tiny = at.less_i64(bins, const_i64(kTinyBytes / bytes + 1));
    const Operand lanes =
        at.let(Prim::kI64, core::Select{tiny, const_i64(kHistLanes), const_i64(1)}, "lanes");
    at.branch(
        at.less_i64(const_i64(1), copies),
        [&](Code& inner) { hist_with_copies(inner, info, copies, lanes); },
        [&](Code& inner) {
          if (!cheap) return all_at_once(inner);
          const auto few = [&](Code& here) { hist_in_order(here, const_i64(0), total); };
          inner.branch(inner.less_i64(total, const_i64(kFewPoints)), few, all_at_once);
        });
  };
  if (!has_own_bins()) return one_by_one(code);
  // Enough rows: each in order, without copies.
  const Operand rows = segment_count(code);
  code.branch(code.less_i64(rows, const_i64(kFewSegments)), one_by_one, [&](Code& many) {
    many.parallel_for(rows, segment_grain(many, dims_.back()), [&](Code& at, const Operand& row) {
      const Operand begin = at.mul_i64(row, dims_.back());
      hist_in_order(at, begin, at.add_i64(begin, dims_.back()));
    });
  });
}

}  // namespace skald::imp
