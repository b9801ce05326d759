// SPDX-License-Identifier: Apache-2.0
// Inclusive scans.
//
// Flat      fixed chunks, two passes: the first finds the total of every chunk but the last, then
// the
//           totals are scanned, and the second pass computes the values again and stores them.
//           Reading the input twice is cheaper than writing the output twice.
// Grid      one segment per iteration of a parallel loop.
#include "core/visit.h"
#include "imp/lower/kernel_lowering.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

// Advances the scans by one point.  With `write`, stores the outputs and feeds the reductions,
// whose accumulators follow those of the scans.
void KernelLowering::scan_point(Code& code, const std::vector<Operand>& indices,
                                const std::vector<Accumulators>& accs, bool write) {
  point(code, indices,
        [&](Code& inner, const std::vector<Operand>& all, const std::vector<Operand>& values) {
          std::vector<Operand> scanned, rest;
          size_t scan = 0;
          for (const SinkInfo& info : sinks_) {
            if (info.sink->kind != Sink::kScan) continue;
            combine(inner, info.sink->op[0], accs[scan], sink_values(info, values));
            // The value now, not what the variable holds after later points.
            for (size_t v = 0; v < accs[scan].size(); ++v)
              scanned.push_back(inner.let(info.sink->op[0].fn.params[v].type.elem,
                                          core::Value{accs[scan][v]}, "scanned"));
            ++scan;
          }
          if (!write) return;
          for (const SinkInfo& info : sinks_) {
            if (info.sink->kind == Sink::kReduce)
              combine(inner, info.sink->op[0], accs[scan++], sink_values(info, values));
            if (info.sink->kind == Sink::kScatter && !info.sink->late)
              scatter_sink(inner, info, values);
            if (info.sink->kind == Sink::kOut)
              for (const Operand& value : sink_values(info, values)) rest.push_back(value);
          }
          std::vector<Operand> outputs = scanned;
          outputs.insert(outputs.end(), rest.begin(), rest.end());
          if (!kernel_.post.empty()) {
            outputs = fn_.apply(inner, kernel_.post[0], outputs);
            for (const SinkInfo& info : sinks_)
              if (info.sink->late) scatter_sink(inner, info, outputs);
            for (size_t k = late_values_; k < outputs.size(); ++k)
              fn_.store(inner, result_place(first_array_ + k - late_values_), all, outputs[k]);
            return;
          }
          size_t k = 0;
          for (const Sink::Kind kind : {Sink::kScan, Sink::kOut})
            for (const SinkInfo& info : sinks_)
              for (int v = 0; info.sink->kind == kind && v < info.sink->count; ++v)
                fn_.store(inner, result_place(info.results + static_cast<size_t>(v)), all,
                          outputs[k++]);
        });
}

void KernelLowering::scan_grid(Code& code) {
  SKALD_CHECK(!has(Sink::kReduce), "a kernel on a grid scans or reduces, not both");
  const Operand grain = segment_grain(code, dims_.back());
  code.parallel_for(segment_count(code), grain, [&](Code& at, const Operand& number) {
    const std::vector<Operand> outer = segment_indices(at, number);
    std::vector<Accumulators> accs;
    for (const SinkInfo& info : sinks_)
      if (info.sink->kind == Sink::kScan) accs.push_back(start(at, info.sink->op[0]));
    at.loop(const_i64(0), dims_.back(), [&](Code& inner, const Operand& j) {
      std::vector<Operand> indices = outer;
      indices.push_back(j);
      scan_point(inner, indices, accs, true);
    });
  });
}

void KernelLowering::scan_flat(Code& code) {
  const Operand n = dims_[0];
  const Name size = code.fresh("chunk_size");
  code.add(ChunkSize{size, n, const_i64(least_chunk())});
  const Operand chunks = chunk_count(code, n, size);
  std::vector<const Operator*> scans, reduces;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind == Sink::kScan) scans.push_back(&info.sink->op[0]);
    if (info.sink->kind == Sink::kReduce) reduces.push_back(&info.sink->op[0]);
  }
  // totals[k][v][c]: first the total of chunk c, then what comes before chunk c.
  std::vector<std::vector<Name>> totals, reduced;
  for (const Operator* op : scans) totals.push_back(partials(code, *op, chunks));
  for (const Operator* op : reduces) reduced.push_back(partials(code, *op, chunks));
  const auto store_all = [&](Code& at, const std::vector<const Operator*>& ops,
                             const std::vector<std::vector<Name>>& blocks,
                             std::span<const Accumulators> accs, const Operand& chunk) {
    for (size_t k = 0; k < ops.size(); ++k)
      for (size_t v = 0; v < accs[k].size(); ++v)
        at.add(Store{ops[k]->fn.params[v].type.elem, blocks[k][v], chunk, accs[k][v]});
  };
  const auto load_chunk = [&](Code& at, const Operator& op, const std::vector<Name>& blocks,
                              const Operand& chunk) {
    std::vector<Operand> values;
    for (size_t v = 0; v < blocks.size(); ++v)
      values.push_back(at.load(op.fn.params[v].type.elem, blocks[v], chunk, "total"));
    return values;
  };

  const Operand many = code.less_i64(const_i64(1), chunks);
  code.branch(many, [&](Code& first_pass) {
    const Operand before_last = first_pass.mul_i64(first_pass.sub_i64(chunks, const_i64(1)), size);
    first_pass.parallel_chunks(
        before_last, size,
        [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
          std::vector<Accumulators> accs;
          for (const Operator* op : scans) accs.push_back(start(inner, *op));
          inner.loop(begin, end,
                     [&](Code& at, const Operand& i) { scan_point(at, {i}, accs, false); });
          store_all(inner, scans, totals, accs, chunk);
        });
  });
  std::vector<Accumulators> running;
  for (const Operator* op : scans) running.push_back(start(code, *op));
  code.short_loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
    for (size_t k = 0; k < scans.size(); ++k) {
      const std::vector<Operand> total = load_chunk(inner, *scans[k], totals[k], chunk);
      for (size_t v = 0; v < running[k].size(); ++v)
        inner.add(Store{scans[k]->fn.params[v].type.elem, totals[k][v], chunk, running[k][v]});
      // The last chunk has no total, and nobody asks for it.
      const Operand wanted = inner.less_i64(inner.add_i64(chunk, const_i64(1)), chunks);
      inner.branch(wanted, [&](Code& at) { combine(at, *scans[k], running[k], total); });
    }
  });
  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        std::vector<Accumulators> accs;
        for (size_t k = 0; k < scans.size(); ++k) {
          accs.push_back(start(inner, *scans[k]));
          const std::vector<Operand> before = load_chunk(inner, *scans[k], totals[k], chunk);
          for (size_t v = 0; v < before.size(); ++v) inner.add(Assign{accs.back()[v], before[v]});
        }
        for (const Operator* op : reduces) accs.push_back(start(inner, *op));
        inner.loop(begin, end,
                   [&](Code& at, const Operand& i) { scan_point(at, {i}, accs, true); });
        store_all(inner, reduces, reduced, std::span(accs).subspan(scans.size()), chunk);
      });

  size_t k = 0;
  const Operand some = code.less_i64(const_i64(0), n);
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != Sink::kReduce) continue;
    const Accumulators acc = start(code, info.sink->op[0]);
    code.branch(some, [&](Code& nonempty) {
      nonempty.short_loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
        combine(inner, *reduces[k], acc, load_chunk(inner, *reduces[k], reduced[k], chunk));
      });
    });
    for (size_t v = 0; v < acc.size(); ++v) fn_.alias_[stmt_.pat[info.results + v].name] = acc[v];
    ++k;
  }
}

}  // namespace skald::imp
