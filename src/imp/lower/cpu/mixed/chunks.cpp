// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/mixed/chunks.h"

#include "imp/lower/cpu/hist/hist.h"
#include "imp/lower/cpu/partition/partition.h"

namespace skald::imp {

using core::Sink;

namespace {

class MixedChunks {
 public:
  MixedChunks(KernelWriter& kernel, Code& code, Bins bins, const Operand& size)
      : kernel_(kernel),
        sinks_(kernel.facts.sinks),
        bins_(bins),
        size_(size),
        n_(kernel.point_count(code)),
        chunks_(chunk_count(code, n_, size)) {}

  void write(Code& code, const Gathered& into) {
    make_blocks(code);
    if (!kernel_.facts.has(Sink::kScan) || !kernel_.facts.costly_thunk) {
      passes(code);
      gather(code, into);
      return free_blocks(code);
    }
    Staged staged;
    for (const core::Ret& ret : kernel_.node.pull.results)
      staged.buffers.push_back(code.alloc(
          Space::kHeap,
          code.mul_i64(code.max_i64(n_, const_i64(1)), const_i64(prim_size(ret.type.elem))),
          "kept"));
    code.parallel_range(n_, const_i64(kernel_.facts.grain),
                        [&](Code& inner, const Operand& begin, const Operand& end) {
                          stage(kernel_, inner, {}, begin, end, const_i64(0), staged.buffers);
                        });
    const PointsFrom waiting(kernel_, staged);
    passes(code);
    gather(code, into);
    blocks_.push_back(staged.buffers);
    free_blocks(code);
  }

 private:
  using Values = std::vector<Operand>;

  // By sink: partial results, counts of members, or copies of bins.
  void make_blocks(Code& code) {
    blocks_.resize(sinks_.size());
    for (size_t k = 0; k < sinks_.size(); ++k) {
      const Sink& sink = *sinks_[k].sink;
      if (sink.kind == Sink::kReduce || sink.kind == Sink::kScan)
        blocks_[k] = kernel_.partials(code, sink.op[0], chunks_);
      if (sink.kind == Sink::kHist && bins_ == Bins::kCopied)
        blocks_[k] = bin_copies(kernel_, code, sinks_[k], chunks_);
      for (int c = 0; sink.kind == Sink::kPartition && c < sink.classes; ++c)
        blocks_[k].push_back(
            code.alloc(Space::kHeap, code.mul_i64(chunks_, const_i64(8)), "counts"));
    }
  }
  void free_blocks(Code& code) {
    for (const std::vector<Name>& list : blocks_)
      for (const Name block : list) code.add(Free{block});
  }

  const core::Operator& op(size_t k) const { return sinks_[k].sink->op[0]; }
  bool is(size_t k, Sink::Kind kind) const { return sinks_[k].sink->kind == kind; }
  Prim element(size_t k, size_t v) const { return op(k).fn.params[v].type.elem; }
  Values load(Code& code, size_t k, const Operand& chunk) {
    Values values;
    for (size_t v = 0; v < blocks_[k].size(); ++v)
      values.push_back(code.load(element(k, v), blocks_[k][v], chunk, "partial"));
    return values;
  }
  void store(Code& code, size_t k, const Operand& chunk, const Accumulators& acc) {
    for (size_t v = 0; v < acc.size(); ++v)
      code.add(Store{element(k, v), blocks_[k][v], chunk, acc[v]});
  }

  // Advances the scans; their values now, not what the variables hold after later points.
  Values scan(Code& code, const Gathered& state, const Values& values) {
    Values scanned;
    for (size_t k = 0; k < sinks_.size(); ++k) {
      if (!is(k, Sink::kScan)) continue;
      const Accumulators& acc = state.sinks[k].acc;
      kernel_.combine(code, op(k), acc, kernel_.sink_values(sinks_[k], values));
      for (size_t v = 0; v < acc.size(); ++v)
        scanned.push_back(code.let(element(k, v), core::Value{acc[v]}, "scanned"));
    }
    return scanned;
  }

  void passes(Code& code) {
    if (kernel_.facts.has(Sink::kScan)) {
      code.branch(code.less_i64(const_i64(1), chunks_), [&](Code& at) { find_totals(at); });
      for (size_t k = 0; k < sinks_.size(); ++k)
        if (is(k, Sink::kScan)) totals_before(code, k);
    }
    code.parallel_chunks(n_, size_,
                         [&](Code& inner, const Operand& begin, const Operand& end,
                             const Operand& chunk) { write_chunk(inner, begin, end, chunk); });
  }

  // The totals of all chunks but the last, for which nobody asks.
  void find_totals(Code& code) {
    const Operand all_but_last = code.mul_i64(code.sub_i64(chunks_, const_i64(1)), size_);
    code.parallel_chunks(
        all_but_last, size_,
        [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
          Gathered state;
          state.sinks.resize(sinks_.size());
          for (size_t k = 0; k < sinks_.size(); ++k)
            if (is(k, Sink::kScan)) state.sinks[k].acc = kernel_.start(inner, op(k));
          kernel_.points(inner, begin, end, [&](Code& at, const Values&, const Values& values) {
            scan(at, state, values);
          });
          for (size_t k = 0; k < sinks_.size(); ++k)
            if (is(k, Sink::kScan)) store(inner, k, chunk, state.sinks[k].acc);
        });
  }
  // The totals become what comes before each chunk.
  void totals_before(Code& code, size_t k) {
    const Accumulators running = kernel_.start(code, op(k));
    code.short_loop(const_i64(0), chunks_, [&](Code& inner, const Operand& chunk) {
      const Values total = load(inner, k, chunk);
      store(inner, k, chunk, running);
      const Operand wanted = inner.less_i64(inner.add_i64(chunk, const_i64(1)), chunks_);
      inner.branch(wanted, [&](Code& at) { kernel_.combine(at, op(k), running, total); });
    });
  }

  Gathered start_chunk(Code& code, const Operand& begin, const Operand& chunk) {
    Gathered state;
    state.sinks.resize(sinks_.size());
    for (size_t k = 0; k < sinks_.size(); ++k) {
      const SinkInfo& info = sinks_[k];
      Gathered::Of& of = state.sinks[k];
      if (is(k, Sink::kReduce) || is(k, Sink::kScan)) of.acc = kernel_.start(code, op(k));
      if (is(k, Sink::kScan)) {
        const Values before = load(code, k, chunk);
        for (size_t v = 0; v < before.size(); ++v) code.add(Assign{of.acc[v], before[v]});
      }
      for (int c = 0; is(k, Sink::kPartition) && c < info.sink->classes; ++c)
        of.next.push_back(code.var(Prim::kI64, begin, "next"));
      if (is(k, Sink::kHist) && bins_ == Bins::kCopied)
        of.bins = start_copy(kernel_, code, info, blocks_[k], chunk);
      if (is(k, Sink::kHist) && bins_ == Bins::kInOrder)
        for (size_t d = 0; d < info.sink->dests.size(); ++d)
          of.bins.push_back(kernel_.result_place(info.results + d));
    }
    return state;
  }

  void write_chunk(Code& code, const Operand& begin, const Operand& end, const Operand& chunk) {
    const Gathered state = start_chunk(code, begin, chunk);
    kernel_.points(code, begin, end, [&](Code& at, const Values& indices, const Values& values) {
      write_point(at, state, indices, values);
    });
    for (size_t k = 0; k < sinks_.size(); ++k) {
      const Gathered::Of& of = state.sinks[k];
      if (is(k, Sink::kReduce)) store(code, k, chunk, of.acc);
      for (size_t c = 0; c < of.next.size(); ++c)
        code.add(Store{Prim::kI64, blocks_[k][c], chunk, code.sub_i64(of.next[c], begin)});
    }
  }

  void write_point(Code& code, const Gathered& state, const Values& indices, const Values& values) {
    const KernelFacts& facts = kernel_.facts;
    Values outputs = scan(code, state, values);
    feed(code, state, false, indices, values);
    if (kernel_.node.post.empty()) {
      size_t s = 0;
      for (const SinkInfo& info : sinks_)
        for (int v = 0; info.sink->kind == Sink::kScan && v < info.sink->count; ++v)
          kernel_.fn.store(code, kernel_.result_place(info.results + static_cast<size_t>(v)),
                           indices, outputs[s++]);
      return;
    }
    for (const SinkInfo& info : sinks_)
      if (info.sink->kind == Sink::kOut)
        for (const Operand& value : kernel_.sink_values(info, values)) outputs.push_back(value);
    outputs = kernel_.fn.apply(code, kernel_.node.post[0], outputs);
    feed(code, state, true, indices, outputs);
    for (size_t k = facts.late_values; k < outputs.size(); ++k)
      kernel_.fn.store(code, kernel_.result_place(facts.first_array + k - facts.late_values),
                       indices, outputs[k]);
  }

  // What one point gives to the sinks other than scans; outputs of a post-function are stored by
  // the caller.
  void feed(Code& code, const Gathered& at, bool late, const Values& indices,
            const Values& values) {
    for (size_t k = 0; k < sinks_.size(); ++k) {
      const SinkInfo& info = sinks_[k];
      if (info.sink->late != late) continue;
      switch (info.sink->kind) {
        case Sink::kReduce:
          kernel_.combine(code, op(k), at.sinks[k].acc, kernel_.sink_values(info, values));
          break;
        case Sink::kPartition:
          for (size_t c = 0; c < at.sinks[k].next.size(); ++c)
            collect_member(kernel_, code, info, c, at.sinks[k].next[c], values);
          break;
        case Sink::kHist:
          for (const SinkInfo& write : writes_of(info)) {
            if (bins_ == Bins::kAtomic)
              hist_atomic_update(kernel_, code, write, values);
            else
              hist_update(kernel_, code, write, at.sinks[k].bins, values);
          }
          break;
        case Sink::kScatter: kernel_.scatter_sink(code, info, values); break;
        case Sink::kOut:
          if (kernel_.node.post.empty()) kernel_.out_sink(code, info, indices, values);
          break;
        case Sink::kScan: break;
      }
    }
  }

  // What the chunks have left.
  void gather(Code& code, const Gathered& into) {
    code.branch(code.less_i64(const_i64(0), n_), [&](Code& some) {
      for (size_t k = 0; k < sinks_.size(); ++k) {
        const SinkInfo& info = sinks_[k];
        if (is(k, Sink::kHist) && bins_ == Bins::kCopied)
          combine_copies(kernel_, some, info, blocks_[k], chunks_);
        if (is(k, Sink::kReduce))
          some.short_loop(const_i64(0), chunks_, [&](Code& inner, const Operand& chunk) {
            kernel_.combine(inner, op(k), into.sinks[k].acc, load(inner, k, chunk));
          });
        if (is(k, Sink::kPartition))
          some.short_loop(const_i64(0), chunks_, [&](Code& inner, const Operand& chunk) {
            move_together(kernel_, inner, info, inner.mul_i64(chunk, size_), blocks_[k], chunk,
                          into.sinks[k].next);
          });
      }
    });
  }

  KernelWriter& kernel_;
  const std::vector<SinkInfo>& sinks_;
  const Bins bins_;
  const Operand size_, n_, chunks_;
  std::vector<std::vector<Name>> blocks_;
};

}  // namespace

void write_mixed_chunks(KernelWriter& kernel, Code& code, Bins bins, const Operand& size,
                        const Gathered& into) {
  MixedChunks(kernel, code, bins, size).write(code, into);
}

}  // namespace skald::imp
