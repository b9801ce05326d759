// SPDX-License-Identifier: Apache-2.0
// Histograms by chunks of points that fill copies of their own.  The first chunk fills the
// destination itself; the copies of the others are then added to it, bin by bin, in order.
//
// If the bins are so few that equal neighbouring keys are likely, a chunk has several copies that
// its points use in turn: an update waits for the one before it in the same bin.
#include "imp/lower/kernel_lowering.h"

namespace skald::imp {

using core::Operator;

namespace {

constexpr int64_t kHistLanes = 4;
// Copies begin this many elements apart from each other's ends, so that they share no cache line
// and do not lie at equal places of their pages.
constexpr int64_t kGap = 64;
// Longer points are not repeated in the code, and hide the waiting anyway.
constexpr int64_t kShortPoint = 512;  // as a grain: up to 32 statements

}  // namespace

Operand KernelLowering::copy_stride(Code& code, const SinkInfo& info) {
  const Operand lines = code.binop(
      BinOpKind::kQuot, code.add_i64(bin_count(code, info), const_i64(kGap - 1)), const_i64(kGap));
  return code.mul_i64(code.add_i64(lines, const_i64(1)), const_i64(kGap));
}

// Room for `count` copies of every array of a histogram.
std::vector<Name> KernelLowering::bin_copies(Code& code, const SinkInfo& info,
                                             const Operand& count) {
  const Operand elements = code.mul_i64(count, copy_stride(code, info));
  std::vector<Name> copies;
  for (size_t k = 0; k < info.sink->dests.size(); ++k) {
    const Operand bytes = const_i64(prim_size(info.sink->op[0].fn.params[k].type.elem));
    copies.push_back(code.alloc(Space::kHeap, code.mul_i64(elements, bytes), "copies"));
  }
  return copies;
}

// Copy number `copy`, full of neutral elements.
std::vector<ArrayPlace> KernelLowering::start_copy(Code& code, const SinkInfo& info,
                                                   const std::vector<Name>& copies,
                                                   const Operand& copy) {
  std::vector<ArrayPlace> dests;
  const Operand first = code.mul_i64(copy, copy_stride(code, info));
  for (size_t k = 0; k < copies.size(); ++k) {
    core::Type type = result_place(info.results + k).type;
    ArrayPlace dest{std::move(type), {copies[k], first}};
    fn_.fill(code, dest, info.sink->op[0].neutral[k]);
    dests.push_back(std::move(dest));
  }
  return dests;
}

// Bin by bin, first the destination, then the copies in order.
void KernelLowering::combine_copies(Code& code, const SinkInfo& info,
                                    const std::vector<Name>& copies, const Operand& count) {
  const Operator& op = info.sink->op[0];
  const Operand bins = bin_count(code, info), stride = copy_stride(code, info);
  const bool dense = has_dense_bins(info);
  const auto one_bin = [&](Code& at, const Operand& bin) {
    std::vector<ArrayPlace> dests;
    std::vector<Operand> indices = {bin};
    for (size_t k = 0; k < copies.size(); ++k) {
      dests.push_back(result_place(info.results + k));
      if (dense) dests.back().type.shape = {bins};
    }
    if (!dense && info.sink->shape.size() > 1) {
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
      acc.push_back(
          at.var(op.fn.params[k].type.elem, fn_.load(at, dests[k], indices, "old"), "acc"));
    at.short_loop(const_i64(0), count, [&](Code& inner, const Operand& copy) {
      std::vector<Operand> values;
      const Operand place = inner.add_i64(inner.mul_i64(copy, stride), bin);
      for (size_t k = 0; k < copies.size(); ++k)
        values.push_back(inner.load(op.fn.params[k].type.elem, copies[k], place, "value"));
      combine(inner, op, acc, values);
    });
    for (size_t k = 0; k < copies.size(); ++k) fn_.store(at, dests[k], indices, acc[k]);
  };
  // A bin costs an operation for each copy.
  const Operand each = code.max_i64(
      code.binop(BinOpKind::kQuot, const_i64(grain()), code.max_i64(count, const_i64(1)), "grain"),
      const_i64(grain() == 0 ? 0 : 1));
  code.parallel_range(bins, each, [&](Code& piece, const Operand& begin, const Operand& end) {
    piece.loop(begin, end, one_bin, 1, LoopHint::kSimd);
  });
}

void KernelLowering::hist_with_copies(Code& code, const SinkInfo& info, const Operand& chunks) {
  const Operand n = point_count(code);
  const Operator& op = info.sink->op[0];
  const Operand size = chunk_count(code, n, chunks);
  const bool dense = has_dense_bins(info);
  const size_t arrays = info.sink->dests.size();
  const Operand bins = bin_count(code, info), stride = copy_stride(code, info);
  const Operand count = dense ? code.sub_i64(chunks, const_i64(1)) : chunks;
  const std::vector<Name> copies = bin_copies(code, info, count);
  const Operand some_copies = code.less_i64(const_i64(0), count);
  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        std::vector<ArrayPlace> dests;
        if (dense) {
          const Operand copied = inner.less_i64(const_i64(0), chunk);
          const Operand first = inner.mul_i64(inner.sub_i64(chunk, const_i64(1)), stride);
          for (size_t k = 0; k < arrays; ++k) {
            ArrayPlace dest = result_place(info.results + k);
            const Name view = inner.fresh("bins");
            inner.add(BlockVar{view, Space::kView, dest.loc.block});
            const Operand offset =
                inner.let(Prim::kI64, core::Select{copied, first, dest.loc.offset}, "first");
            inner.branch(copied, [&](Code& at) {
              at.add(BlockAssign{view, copies[k]});
              at.add(Fill{op.fn.params[k].type.elem, copies[k], first, bins,
                          fn_.value(op.neutral[k])});
            });
            dest.loc = {view, offset};
            dests.push_back(std::move(dest));
          }
        } else {
          dests = start_copy(inner, info, copies, chunk);
        }
        const PointBody update = [&](Code& here, const std::vector<Operand>&,
                                     const std::vector<Operand>& values) {
          hist_update(here, info, dests, values);
        };
        if (has_rows_of_bins(info)) points(inner, begin, end, update, LoopHint::kSimd);
        // LLVM would unroll less.
        else if (grain() >= kShortPoint)
          hist_points(inner, begin, end, kHistLanes, [&](int64_t) { return update; });
        else
          hist_points(inner, begin, end, 1, [&](int64_t) { return update; });
      });
  const Operand some = code.less_i64(const_i64(0), n);
  const Operand combined = code.both(some, some_copies, "some");
  // The size is rounded up, so the last chunks may not exist.
  const Operand used = code.sub_i64(chunk_count(code, n, size), const_i64(dense ? 1 : 0));
  code.branch(combined, [&](Code& at) { combine_copies(at, info, copies, used); });
  for (const Name block : copies) code.add(Free{block});
}

// The points of a row all have bins of their own, as if the operator worked on arrays: lanes never
// meet.
bool KernelLowering::has_rows_of_bins(const SinkInfo& info) const {
  if (dims_.size() < 2 || kernel_.domain.kind == core::Domain::kSeg || info.sink->shape.empty())
    return false;
  const Operand& last = kernel_.pull.body.result[info.values + info.sink->shape.size() - 1];
  return last == Operand{kernel_.pull.params.back().name};
}

bool KernelLowering::can_use_hist_lanes(const SinkInfo& info) const {
  return grain() >= kShortPoint && !may_keep_bin(info.sink->op[0]) && !has_rows_of_bins(info);
}

void KernelLowering::hist_with_lanes(Code& code, const SinkInfo& info, const Operand& chunks) {
  const Operand n = point_count(code);
  const Operator& op = info.sink->op[0];
  const Operand size = chunk_count(code, n, chunks);
  const Operand stride = copy_stride(code, info);
  const Operand of_chunk = code.mul_i64(stride, const_i64(kHistLanes));
  const Operand count = code.mul_i64(chunk_count(code, n, size), const_i64(kHistLanes));
  const std::vector<Name> copies = bin_copies(code, info, count);
  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        const Operand first = inner.mul_i64(chunk, of_chunk);
        std::vector<std::vector<ArrayPlace>> dests(kHistLanes);
        for (size_t k = 0; k < copies.size(); ++k)
          inner.add(Fill{op.fn.params[k].type.elem, copies[k], first, of_chunk,
                         fn_.value(op.neutral[k])});
        for (int64_t lane = 0; lane < kHistLanes; ++lane) {
          const Operand start = inner.add_i64(first, inner.mul_i64(stride, const_i64(lane)));
          for (size_t k = 0; k < copies.size(); ++k)
            dests[static_cast<size_t>(lane)].push_back(
                {result_place(info.results + k).type, {copies[k], start}});
        }
        hist_points(inner, begin, end, kHistLanes, [&](int64_t lane) -> PointBody {
          return [&, lane](Code& here, const std::vector<Operand>&,
                           const std::vector<Operand>& values) {
            hist_update(here, info, dests[static_cast<size_t>(lane)], values);
          };
        });
      });
  const Operand some = code.less_i64(const_i64(0), n);
  code.branch(some, [&](Code& nonempty) { combine_copies(nonempty, info, copies, count); });
  for (const Name block : copies) code.add(Free{block});
}

}  // namespace skald::imp
