// SPDX-License-Identifier: Apache-2.0
// Kernels over irregular segments.
//
// Maps are cut by elements, wherever the segments end: one long segment is shared, many short ones
// cost no more than their elements.  A range finds its first segment by bisection and walks on from
// there.  Reductions and scans take whole segments; if there are only a few, long ones are reduced
// in chunks.
#include "core/visit.h"
#include "imp/lower/kernel_lowering.h"

namespace skald::imp {

using core::Sink;

Operand KernelLowering::segment_begin(Code& code, const Operand& s) {
  return fn_.load(code, fn_.place(kernel_.domain.offsets[0]), {s}, "begin");
}

void KernelLowering::segment_point(Code& code, const std::vector<Operand>& indices,
                                   const PointBody& then) {
  const Operand position = code.add_i64(segment_begin(code, indices[0]), indices[1]);
  const std::vector<Operand> values =
      fn_.apply(code, kernel_.pull, {indices[0], indices[1], position});
  if (!kernel_.guarded) return then(code, {position}, values);
  code.branch(values[0], [&](Code& inner) { then(inner, {position}, values); });
}

void KernelLowering::segments(Code& code) {
  SKALD_CHECK(!has(Sink::kHist), "a histogram over segments");
  if (has(Sink::kScan))
    scan_segments(code);
  else if (has(Sink::kReduce))
    reduce_segments(code);
  else
    map_segments(code);
}

// The last segment that begins at or before `position`: low … high-1 until one is left.
Name KernelLowering::find_segment(Code& code, const Operand& position) {
  const Name low = code.var(Prim::kI64, const_i64(0), "low");
  const Name high = code.var(Prim::kI64, dims_[0], "high");
  // Sixty-three halvings are enough for any count.
  code.short_loop(const_i64(0), const_i64(63), [&](Code& at, const Operand&) {
    const Operand more = at.less_i64(const_i64(1), at.sub_i64(high, low));
    at.branch(more, [&](Code& step) {
      const Operand middle =
          step.binop(BinOpKind::kQuot, step.add_i64(low, high), const_i64(2), "middle");
      const Operand after = step.less_i64(position, segment_begin(step, middle));
      step.branch(
          after, [&](Code& left) { left.add(Assign{high, middle}); },
          [&](Code& right) { right.add(Assign{low, middle}); });
    });
  });
  return low;
}

void KernelLowering::map_segments(Code& code) {
  const Operand total = dims_[1];
  const auto range = [&](Code& inner, const Operand& begin, const Operand& end) {
    const Name low = find_segment(inner, begin);
    const Name high = find_segment(inner, inner.sub_i64(end, const_i64(1)));
    inner.loop(low, inner.add_i64(high, const_i64(1)), [&](Code& at, const Operand& s) {
      const Operand first = segment_begin(at, s);
      const Operand from = at.max_i64(begin, first);
      const Operand to = at.min_i64(end, segment_begin(at, at.add_i64(s, const_i64(1))));
      at.loop(at.sub_i64(from, first), at.sub_i64(to, first),
              [&](Code& point_code, const Operand& j) {
                point(point_code, {s, j},
                      [&](Code& here, const std::vector<Operand>& all,
                          const std::vector<Operand>& values) { direct_sinks(here, all, values); });
              });
    });
  };
  code.parallel_range(total, const_i64(grain()), range);
}

void KernelLowering::reduce_segments(Code& code) {
  const auto one_segment = [&](Code& at, const Operand& s, bool in_chunks) {
    const Operand length =
        at.sub_i64(segment_begin(at, at.add_i64(s, const_i64(1))), segment_begin(at, s));
    std::vector<Accumulators> accs;
    for (const SinkInfo& info : sinks_)
      if (info.sink->kind == Sink::kReduce) accs.push_back(start(at, info.sink->op[0]));
    if (in_chunks)
      reduce_segment_in_chunks(at, {s}, length, accs);
    else
      reduce_range(at, {s}, const_i64(0), length, accs);
    size_t k = 0;
    for (const SinkInfo& info : sinks_) {
      if (info.sink->kind != Sink::kReduce) continue;
      for (size_t v = 0; v < accs[k].size(); ++v)
        fn_.store(at, result_place(info.results + v), {s}, accs[k][v]);
      ++k;
    }
  };
  code.branch(
      code.less_i64(dims_[0], const_i64(kFewSegments)),
      [&](Code& few) {
        few.loop(const_i64(0), dims_[0],
                 [&](Code& at, const Operand& s) { one_segment(at, s, true); });
      },
      [&](Code& many) {
        many.parallel_for(dims_[0], const_i64(0),
                          [&](Code& at, const Operand& s) { one_segment(at, s, false); });
      });
}

void KernelLowering::scan_segments(Code& code) {
  SKALD_CHECK(!has(Sink::kReduce), "a kernel over segments scans or reduces, not both");
  code.parallel_for(dims_[0], const_i64(0), [&](Code& at, const Operand& s) {
    const Operand length =
        at.sub_i64(segment_begin(at, at.add_i64(s, const_i64(1))), segment_begin(at, s));
    std::vector<Accumulators> accs;
    for (const SinkInfo& info : sinks_)
      if (info.sink->kind == Sink::kScan) accs.push_back(start(at, info.sink->op[0]));
    at.loop(const_i64(0), length,
            [&](Code& inner, const Operand& j) { scan_point(inner, {s, j}, accs, true); });
  });
}

}  // namespace skald::imp
