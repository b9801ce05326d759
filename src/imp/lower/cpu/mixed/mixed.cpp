// SPDX-License-Identifier: Apache-2.0
// Kernels whose sinks are of several kinds, as fusion makes them: a histogram beside a reduction, a
// partition beside a scan, a scatter after one.  One pass over fixed chunks does it all:
//
//   reductions   an accumulator for each chunk, combined in order at the end
//   scans        two passes, as in scan.cpp; what comes after a scan is fed in the second one
//   partitions   the members of a chunk in its own range of the results, moved together at the end
//   histograms   small beside the input: a copy for each chunk; else atomic updates, if all
//                operators are exact; else one chunk
//
// Kernels with only one of these have skeletons of their own, which do better; so have histograms
// beside outputs and scatters.
#include "core/ir/visit.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

// By sink: what a chunk works on, or what remains of all chunks.
struct KernelLowering::Gathered {
  struct Of {
    Accumulators acc = {};              // kReduce, kScan
    std::vector<Name> next = {};        // kPartition: by class, the next free place, or the total
    std::vector<ArrayPlace> bins = {};  // kHist
  };
  std::vector<Of> sinks;
};

bool KernelLowering::is_mixed() const {
  bool late = false;
  // Reductions of what vectors scan are done where it is scanned.
  const bool reduces = has(Sink::kScan) && dims_.size() == 1 && can_scan_in_vectors();
  for (const SinkInfo& info : sinks_)
    late = late || (info.sink->late && info.sink->kind != Sink::kScatter &&
                    !(info.sink->kind == Sink::kReduce && reduces));
  const bool folds = has(Sink::kReduce) || has(Sink::kScan);
  if (has(Sink::kHist)) return late || folds || has(Sink::kPartition) || !kernel_.post.empty();
  return late || (has(Sink::kPartition) && sinks_.size() > 1 && !can_partition_in_order());
}

// What one point gives to the sinks other than scans; outputs of a post-function are stored by the
// caller.
void KernelLowering::feed_sinks(Code& code, const Gathered& at, bool late, Bins bins,
                                const std::vector<Operand>& indices,
                                const std::vector<Operand>& values) {
  for (size_t k = 0; k < sinks_.size(); ++k) {
    const SinkInfo& info = sinks_[k];
    if (info.sink->late != late) continue;
    switch (info.sink->kind) {
      case Sink::kReduce:
        combine(code, info.sink->op[0], at.sinks[k].acc, sink_values(info, values));
        break;
      case Sink::kPartition:
        for (size_t c = 0; c < at.sinks[k].next.size(); ++c)
          collect_member(code, info, c, at.sinks[k].next[c], values);
        break;
      case Sink::kHist:
        for (const SinkInfo& write : writes_of(info)) {
          if (bins == Bins::kAtomic)
            hist_atomic_update(code, write, values);
          else
            hist_update(code, write, at.sinks[k].bins, values);
        }
        break;
      case Sink::kScatter: scatter_sink(code, info, values); break;
      case Sink::kOut:
        if (kernel_.post.empty()) out_sink(code, info, indices, values);
        break;
      case Sink::kScan: break;
    }
  }
}

void KernelLowering::mixed_chunks(Code& code, Bins bins, const Operand& size,
                                  const Gathered& into) {
  const Operand n = point_count(code);
  const Operand chunks = chunk_count(code, n, size);
  // By sink: partial results, counts of members, or copies of bins.
  std::vector<std::vector<Name>> blocks(sinks_.size());
  for (size_t k = 0; k < sinks_.size(); ++k) {
    const Sink& sink = *sinks_[k].sink;
    if (sink.kind == Sink::kReduce || sink.kind == Sink::kScan)
      blocks[k] = partials(code, sink.op[0], chunks);
    if (sink.kind == Sink::kHist && bins == Bins::kCopied)
      blocks[k] = bin_copies(code, sinks_[k], chunks);
    for (int c = 0; sink.kind == Sink::kPartition && c < sink.classes; ++c)
      blocks[k].push_back(code.alloc(Space::kHeap, code.mul_i64(chunks, const_i64(8)), "counts"));
  }
  const auto element = [&](size_t k, size_t v) {
    return sinks_[k].sink->op[0].fn.params[v].type.elem;
  };
  const auto load = [&](Code& at, size_t k, const Operand& chunk) {
    std::vector<Operand> values;
    for (size_t v = 0; v < blocks[k].size(); ++v)
      values.push_back(at.load(element(k, v), blocks[k][v], chunk, "partial"));
    return values;
  };
  const auto store = [&](Code& at, size_t k, const Operand& chunk, const Accumulators& acc) {
    for (size_t v = 0; v < acc.size(); ++v)
      at.add(Store{element(k, v), blocks[k][v], chunk, acc[v]});
  };
  // Advances the scans; their values now, not what the variables hold after later points.
  const auto scan = [&](Code& at, const Gathered& state, const std::vector<Operand>& values) {
    std::vector<Operand> scanned;
    for (size_t k = 0; k < sinks_.size(); ++k) {
      if (sinks_[k].sink->kind != Sink::kScan) continue;
      const Accumulators& acc = state.sinks[k].acc;
      combine(at, sinks_[k].sink->op[0], acc, sink_values(sinks_[k], values));
      for (size_t v = 0; v < acc.size(); ++v)
        scanned.push_back(at.let(element(k, v), core::Value{acc[v]}, "scanned"));
    }
    return scanned;
  };

  std::vector<Name> kept;
  if (has(Sink::kScan) && should_stage()) {
    for (const core::Ret& ret : kernel_.pull.results)
      kept.push_back(code.alloc(
          Space::kHeap,
          code.mul_i64(code.max_i64(n, const_i64(1)), const_i64(prim_size(ret.type.elem))),
          "kept"));
    code.parallel_range(n, const_i64(grain()),
                        [&](Code& inner, const Operand& begin, const Operand& end) {
                          stage(inner, {}, begin, end, const_i64(0), kept);
                        });
    staged_ = kept;
    staged_begin_ = const_i64(0);
  }
  if (has(Sink::kScan)) {
    code.branch(code.less_i64(const_i64(1), chunks), [&](Code& first_pass) {
      const Operand all_but_last =
          first_pass.mul_i64(first_pass.sub_i64(chunks, const_i64(1)), size);
      first_pass.parallel_chunks(
          all_but_last, size,
          [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
            Gathered state;
            state.sinks.resize(sinks_.size());
            for (size_t k = 0; k < sinks_.size(); ++k)
              if (sinks_[k].sink->kind == Sink::kScan)
                state.sinks[k].acc = start(inner, sinks_[k].sink->op[0]);
            points(inner, begin, end,
                   [&](Code& at, const std::vector<Operand>&, const std::vector<Operand>& values) {
                     scan(at, state, values);
                   });
            for (size_t k = 0; k < sinks_.size(); ++k)
              if (sinks_[k].sink->kind == Sink::kScan) store(inner, k, chunk, state.sinks[k].acc);
          });
    });
    // The totals become what comes before each chunk; the last has no total, and nobody asks.
    for (size_t k = 0; k < sinks_.size(); ++k) {
      if (sinks_[k].sink->kind != Sink::kScan) continue;
      const Accumulators running = start(code, sinks_[k].sink->op[0]);
      code.short_loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
        const std::vector<Operand> total = load(inner, k, chunk);
        store(inner, k, chunk, running);
        const Operand wanted = inner.less_i64(inner.add_i64(chunk, const_i64(1)), chunks);
        inner.branch(wanted, [&](Code& at) { combine(at, sinks_[k].sink->op[0], running, total); });
      });
    }
  }

  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        Gathered state;
        state.sinks.resize(sinks_.size());
        for (size_t k = 0; k < sinks_.size(); ++k) {
          const SinkInfo& info = sinks_[k];
          Gathered::Of& of = state.sinks[k];
          if (info.sink->kind == Sink::kReduce || info.sink->kind == Sink::kScan)
            of.acc = start(inner, info.sink->op[0]);
          if (info.sink->kind == Sink::kScan) {
            const std::vector<Operand> before = load(inner, k, chunk);
            for (size_t v = 0; v < before.size(); ++v) inner.add(Assign{of.acc[v], before[v]});
          }
          for (int c = 0; info.sink->kind == Sink::kPartition && c < info.sink->classes; ++c)
            of.next.push_back(inner.var(Prim::kI64, begin, "next"));
          if (info.sink->kind == Sink::kHist && bins == Bins::kCopied)
            of.bins = start_copy(inner, info, blocks[k], chunk);
          if (info.sink->kind == Sink::kHist && bins == Bins::kInOrder)
            for (size_t d = 0; d < info.sink->dests.size(); ++d)
              of.bins.push_back(result_place(info.results + d));
        }
        points(
            inner, begin, end,
            [&](Code& at, const std::vector<Operand>& indices, const std::vector<Operand>& values) {
              std::vector<Operand> outputs = scan(at, state, values);
              feed_sinks(at, state, false, bins, indices, values);
              if (kernel_.post.empty()) {
                size_t s = 0;
                for (const SinkInfo& info : sinks_)
                  for (int v = 0; info.sink->kind == Sink::kScan && v < info.sink->count; ++v)
                    fn_.store(at, result_place(info.results + static_cast<size_t>(v)), indices,
                              outputs[s++]);
                return;
              }
              for (const SinkInfo& info : sinks_)
                if (info.sink->kind == Sink::kOut)
                  for (const Operand& value : sink_values(info, values)) outputs.push_back(value);
              outputs = fn_.apply(at, kernel_.post[0], outputs);
              feed_sinks(at, state, true, bins, indices, outputs);
              for (size_t k = late_values_; k < outputs.size(); ++k)
                fn_.store(at, result_place(first_array_ + k - late_values_), indices, outputs[k]);
            });
        for (size_t k = 0; k < sinks_.size(); ++k) {
          const Gathered::Of& of = state.sinks[k];
          if (sinks_[k].sink->kind == Sink::kReduce) store(inner, k, chunk, of.acc);
          for (size_t c = 0; c < of.next.size(); ++c)
            inner.add(Store{Prim::kI64, blocks[k][c], chunk, inner.sub_i64(of.next[c], begin)});
        }
      });

  code.branch(code.less_i64(const_i64(0), n), [&](Code& some) {
    for (size_t k = 0; k < sinks_.size(); ++k) {
      const SinkInfo& info = sinks_[k];
      if (info.sink->kind == Sink::kHist && bins == Bins::kCopied)
        combine_copies(some, info, blocks[k], chunks);
      if (info.sink->kind == Sink::kReduce)
        some.short_loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
          combine(inner, info.sink->op[0], into.sinks[k].acc, load(inner, k, chunk));
        });
      if (info.sink->kind == Sink::kPartition)
        some.short_loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
          move_together(inner, info, inner.mul_i64(chunk, size), blocks[k], chunk,
                        into.sinks[k].next);
        });
    }
  });
  staged_.clear();
  blocks.push_back(kept);
  for (const std::vector<Name>& list : blocks)
    for (const Name block : list) code.add(Free{block});
}

void KernelLowering::mixed(Code& code) {
  Gathered all;
  all.sinks.resize(sinks_.size());
  for (size_t k = 0; k < sinks_.size(); ++k) {
    const Sink& sink = *sinks_[k].sink;
    if (sink.kind == Sink::kReduce) all.sinks[k].acc = start(code, sink.op[0]);
    for (int c = 0; sink.kind == Sink::kPartition && c < sink.classes; ++c)
      all.sinks[k].next.push_back(code.var(Prim::kI64, const_i64(0), "total"));
  }
  const Operand n = point_count(code);
  const auto in_chunks = [&](Code& at) {
    const Name size = at.fresh("chunk_size");
    at.add(ChunkSize{size, n, const_i64(least_chunk())});
    mixed_chunks(at, Bins::kAtomic, size, all);
  };
  if (has(Sink::kHist)) {
    Operand bins = const_i64(0);
    for (const SinkInfo& info : sinks_)
      if (info.sink->kind == Sink::kHist)
        bins = code.add_i64(bins, code.mul_i64(bin_count(code, info), const_i64(2 * kCopies)));
    code.branch(
        code.less_i64(bins, n),
        [&](Code& few) {
          const Operand even = few.binop(BinOpKind::kQuot, few.add_i64(n, const_i64(kCopies - 1)),
                                         const_i64(kCopies), "size");
          mixed_chunks(few, Bins::kCopied, few.max_i64(const_i64(least_chunk()), even), all);
        },
        [&](Code& many) {
          if (can_be_atomic()) return in_chunks(many);
          mixed_chunks(many, Bins::kInOrder, many.max_i64(n, const_i64(1)), all);
        });
  } else {
    in_chunks(code);
  }
  for (size_t k = 0; k < sinks_.size(); ++k) {
    const SinkInfo& info = sinks_[k];
    for (size_t v = 0; info.sink->kind == Sink::kReduce && v < all.sinks[k].acc.size(); ++v)
      fn_.alias_[stmt_.pat[info.results + v].name] = all.sinks[k].acc[v];
    // The types of the results mention these names.
    for (size_t c = 0; c < all.sinks[k].next.size(); ++c)
      code.add(
          Let{stmt_.pat[info.results + c].name, Prim::kI64, core::Value{all.sinks[k].next[c]}});
  }
}

}  // namespace skald::imp
