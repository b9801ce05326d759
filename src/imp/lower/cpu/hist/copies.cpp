// SPDX-License-Identifier: Apache-2.0
// Histograms by chunks of points that fill copies of their own.  The first chunk fills the
// destination itself; the copies of the others are then added to it, bin by bin, in order.
//
// If the bins are so few that equal neighbouring keys are likely, a chunk has several copies that
// its points use in turn: an update waits for the one before it in the same bin.
#include "imp/lower/cpu/hist/hist.h"

namespace skald::imp {

using core::Operator;

namespace {

// Copies begin this many elements apart from each other's ends, so that they share no cache line
// and do not lie at equal places of their pages.
constexpr int64_t kGap = 64;

Operand copy_stride(KernelWriter& kernel, Code& code, const SinkInfo& info) {
  const Operand lines =
      code.binop(BinOpKind::kQuot, code.add_i64(bin_count(kernel, code, info), const_i64(kGap - 1)),
                 const_i64(kGap));
  return code.mul_i64(code.add_i64(lines, const_i64(1)), const_i64(kGap));
}

}  // namespace

// Room for `count` copies of every array of a histogram.
std::vector<Name> bin_copies(KernelWriter& kernel, Code& code, const SinkInfo& info,
                             const Operand& count) {
  const Operand elements = code.mul_i64(count, copy_stride(kernel, code, info));
  std::vector<Name> copies;
  for (size_t k = 0; k < info.sink->dests.size(); ++k) {
    const Operand bytes = const_i64(prim_size(info.sink->op[0].fn.params[k].type.elem));
    copies.push_back(code.alloc(Space::kHeap, code.mul_i64(elements, bytes), "copies"));
  }
  return copies;
}

std::vector<ArrayPlace> start_copy(KernelWriter& kernel, Code& code, const SinkInfo& info,
                                   const std::vector<Name>& copies, const Operand& copy) {
  std::vector<ArrayPlace> dests;
  const Operand first = code.mul_i64(copy, copy_stride(kernel, code, info));
  for (size_t k = 0; k < copies.size(); ++k) {
    core::Type type = kernel.result_place(info.results + k).type;
    ArrayPlace dest{std::move(type), {copies[k], first}};
    kernel.fn.fill(code, dest, info.sink->op[0].neutral[k]);
    dests.push_back(std::move(dest));
  }
  return dests;
}

// Bin by bin, first the destination, then the copies in order.
void combine_copies(KernelWriter& kernel, Code& code, const SinkInfo& info,
                    const std::vector<Name>& copies, const Operand& count) {
  const Operator& op = info.sink->op[0];
  const Operand bins = bin_count(kernel, code, info), stride = copy_stride(kernel, code, info);
  const bool dense = has_dense_bins(kernel, info);
  const auto one_bin = [&](Code& at, const Operand& bin) {
    std::vector<ArrayPlace> dests;
    std::vector<Operand> indices = {bin};
    for (size_t k = 0; k < copies.size(); ++k) {
      dests.push_back(kernel.result_place(info.results + k));
      if (dense) dests.back().type.shape = {bins};
    }
    if (!dense && info.sink->shape.size() > 1) {
      indices.assign(info.sink->shape.size(), const_i64(0));
      Operand rest = bin;
      for (size_t k = indices.size(); k-- > 1;) {
        const Operand dim = kernel.fn.value(info.sink->shape[k]);
        const Operand quotient = at.binop(BinOpKind::kQuot, rest, dim, "i");
        indices[k] = at.sub_i64(rest, at.mul_i64(quotient, dim));
        rest = quotient;
      }
      indices[0] = rest;
    }
    Accumulators acc;
    for (size_t k = 0; k < copies.size(); ++k)
      acc.push_back(at.var(op.fn.params[k].type.elem, load(at, dests[k], indices, "old"), "acc"));
    at.short_loop(const_i64(0), count, [&](Code& inner, const Operand& copy) {
      std::vector<Operand> values;
      const Operand place = inner.add_i64(inner.mul_i64(copy, stride), bin);
      for (size_t k = 0; k < copies.size(); ++k)
        values.push_back(inner.load(op.fn.params[k].type.elem, copies[k], place, "value"));
      kernel.combine(inner, op, acc, values);
    });
    for (size_t k = 0; k < copies.size(); ++k) kernel.fn.store(at, dests[k], indices, acc[k]);
  };
  // A bin costs an operation for each copy.
  const Operand each = code.max_i64(code.binop(BinOpKind::kQuot, const_i64(kernel.facts.grain),
                                               code.max_i64(count, const_i64(1)), "grain"),
                                    const_i64(kernel.facts.grain == 0 ? 0 : 1));
  code.parallel_range(bins, each, [&](Code& piece, const Operand& begin, const Operand& end) {
    piece.loop(begin, end, one_bin, 1, LoopHint::kSimd);
  });
}

namespace {

// The bins of a chunk in one array: the destination itself for the first chunk, a new copy for
// others.
ArrayPlace bins_of_chunk(KernelWriter& kernel, Code& code, const SinkInfo& info, size_t array,
                         Name copies, const Operand& chunk) {
  ArrayPlace dest = kernel.result_place(info.results + array);
  const Operator& op = info.sink->op[0];
  const Operand copied = code.less_i64(const_i64(0), chunk);
  const Operand first =
      code.mul_i64(code.sub_i64(chunk, const_i64(1)), copy_stride(kernel, code, info));
  const Name view = code.fresh("bins");
  code.add(BlockVar{view, Space::kView, dest.loc.block});
  const Operand offset =
      code.let(Prim::kI64, core::Select{copied, first, dest.loc.offset}, "first");
  code.branch(copied, [&](Code& at) {
    at.add(BlockAssign{view, copies});
    at.add(Fill{op.fn.params[array].type.elem, copies, first, bin_count(kernel, at, info),
                kernel.fn.value(op.neutral[array])});
  });
  dest.loc = {view, offset};
  return dest;
}

}  // namespace

void hist_with_copies(KernelWriter& kernel, Code& code, const Operand& chunks) {
  const Operand n = kernel.point_count(code);
  const Operand size = chunk_count(code, n, chunks);
  const std::vector<SinkInfo> infos = hist_writes(kernel.facts);
  const Operand others = code.sub_i64(chunks, const_i64(1));
  std::vector<std::vector<Name>> copies;
  bool across = true;
  for (size_t h = 0; h < infos.size(); ++h) {
    across = across && has_rows_of_bins(kernel.facts, infos[h]);
    const Operand count = has_dense_bins(kernel, infos[h]) ? others : chunks;
    copies.push_back(writes_again(infos, h) ? copies.back()
                                            : bin_copies(kernel, code, infos[h], count));
  }
  // LLVM would unroll less.
  const Order order = across                   ? Order::kAcross
                      : is_short_point(kernel) ? Order::kUnrolled
                                               : Order::kOneByOne;
  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        std::vector<BinsOfSink> bins;
        for (size_t h = 0; h < infos.size(); ++h) {
          bins.push_back({infos[h], {}});
          if (writes_again(infos, h))
            bins[h].dests = bins[h - 1].dests;
          else if (!has_dense_bins(kernel, infos[h]))
            bins[h].dests = start_copy(kernel, inner, infos[h], copies[h], chunk);
          else
            for (size_t k = 0; k < copies[h].size(); ++k)
              bins[h].dests.push_back(
                  bins_of_chunk(kernel, inner, infos[h], k, copies[h][k], chunk));
        }
        update_points(kernel, inner, begin, end, bins, order);
      });
  const Operand some = code.less_i64(const_i64(0), n);
  // The size is rounded up, so the last chunks may not exist.
  const Operand used = chunk_count(code, n, size);
  for (size_t h = 0; h < infos.size(); ++h) {
    if (writes_again(infos, h)) continue;
    const bool dense = has_dense_bins(kernel, infos[h]);
    const Operand combined =
        dense ? code.both(some, code.less_i64(const_i64(0), others), "some") : some;
    code.branch(combined, [&](Code& at) {
      combine_copies(kernel, at, infos[h], copies[h],
                     dense ? at.sub_i64(used, const_i64(1)) : used);
    });
    for (const Name block : copies[h]) code.add(Free{block});
  }
}

bool can_use_hist_lanes(KernelWriter& kernel, const std::vector<SinkInfo>& infos) {
  bool waits = false;
  for (const SinkInfo& info : infos) {
    if (has_rows_of_bins(kernel.facts, info)) return false;
    waits = waits || !may_keep_bin(info.sink->op[0]);
  }
  return waits && is_short_point(kernel);
}

void hist_with_lanes(KernelWriter& kernel, Code& code, const Operand& chunks) {
  const Operand n = kernel.point_count(code);
  const Operand size = chunk_count(code, n, chunks);
  const std::vector<SinkInfo> infos = hist_writes(kernel.facts);
  const Operand count = code.mul_i64(chunk_count(code, n, size), const_i64(kTurns));
  std::vector<std::vector<Name>> copies;
  for (size_t h = 0; h < infos.size(); ++h)
    copies.push_back(writes_again(infos, h) ? copies.back()
                                            : bin_copies(kernel, code, infos[h], count));
  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        // By lane.
        std::vector<std::vector<BinsOfSink>> bins(kTurns);
        for (size_t h = 0; h < infos.size(); ++h) {
          const SinkInfo& info = infos[h];
          const Operator& op = info.sink->op[0];
          const Operand stride = copy_stride(kernel, inner, info);
          const Operand of_chunk = inner.mul_i64(stride, const_i64(kTurns));
          const Operand first = inner.mul_i64(chunk, of_chunk);
          for (size_t k = 0; k < copies[h].size() && !writes_again(infos, h); ++k)
            inner.add(Fill{op.fn.params[k].type.elem, copies[h][k], first, of_chunk,
                           kernel.fn.value(op.neutral[k])});
          for (int64_t lane = 0; lane < kTurns; ++lane) {
            const Operand start = inner.add_i64(first, inner.mul_i64(stride, const_i64(lane)));
            BinsOfSink own{info, {}};
            for (size_t k = 0; k < copies[h].size(); ++k)
              own.dests.push_back(
                  {kernel.result_place(info.results + k).type, {copies[h][k], start}});
            bins[static_cast<size_t>(lane)].push_back(std::move(own));
          }
        }
        hist_points(kernel, inner, begin, end, kTurns, [&](int64_t lane) -> PointBody {
          return [&, lane](Code& here, const std::vector<Operand>&,
                           const std::vector<Operand>& values) {
            update_all(kernel, here, bins[static_cast<size_t>(lane)], values);
          };
        });
      });
  const Operand some = code.less_i64(const_i64(0), n);
  for (size_t h = 0; h < infos.size(); ++h) {
    if (writes_again(infos, h)) continue;
    code.branch(some, [&](Code& nonempty) {
      combine_copies(kernel, nonempty, infos[h], copies[h], count);
    });
    for (const Name block : copies[h]) code.add(Free{block});
  }
}

}  // namespace skald::imp
