// SPDX-License-Identifier: Apache-2.0
// Kernels over irregular segments.
//
// Maps and histograms are cut by elements, wherever the segments end: one long segment is shared,
// many short ones cost no more than their elements.  A range finds its first segment by bisection
// and walks on from there.  Reductions and scans take whole segments, those that begin in the
// range; long segments come afterwards, each by all threads.
#include "core/ir/visit.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Sink;

namespace {

// Longer segments are worked on by all threads.
constexpr int64_t kLongSegment = 1 << 17;
// Shorter ones are not worth vectors.
constexpr int64_t kWorthPieces = 48;

}  // namespace

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
  if (has(Sink::kHist)) {
    SKALD_CHECK(sinks_.size() == 1, "a histogram over segments beside other sinks");
    hist(code);
  } else if (has(Sink::kScan))
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
    points(inner, begin, end,
           [&](Code& here, const std::vector<Operand>& all, const std::vector<Operand>& values) {
             direct_sinks(here, all, values);
           });
  };
  code.parallel_range(total, const_i64(grain()), range);
}

// Whole segments, shared by elements: a task takes those that begin in its range.  Segments that
// are long beside a task are left for afterwards, one by one, each by all threads.  If a point may
// fail, the lowest one must be the first to do so, and nothing is left.
void KernelLowering::each_segment(Code& code, const SegmentBody& whole,
                                  const SegmentBody& in_parallel) {
  const Operand segments = dims_[0];
  const auto length_of = [&](Code& at, const Operand& s) {
    return at.sub_i64(segment_begin(at, at.add_i64(s, const_i64(1))), segment_begin(at, s));
  };
  if (!is_straight()) {
    code.branch(
        code.less_i64(segments, const_i64(kFewSegments)),
        [&](Code& few) {
          few.loop(const_i64(0), segments,
                   [&](Code& at, const Operand& s) { in_parallel(at, s, length_of(at, s)); });
        },
        [&](Code& many) {
          many.parallel_for(segments, const_i64(0),
                            [&](Code& at, const Operand& s) { whole(at, s, length_of(at, s)); });
        });
    return;
  }
  const Name found = code.alloc(Space::kScratch, const_i64(8), "found");
  code.add(Store{Prim::kI64, found, const_i64(0), const_i64(0)});
  const Operand count = code.max_i64(dims_[1], const_i64(1));
  code.parallel_range(
      count, const_i64(grain()), [&](Code& inner, const Operand& begin, const Operand& end) {
        // The first segment that begins at or after a position.
        const auto from = [&](const Operand& position, const Operand& at_end,
                              const Operand& instead) {
          const Name first = inner.var(Prim::kI64, instead, "first");
          inner.branch(
              at_end, [](Code&) {},
              [&](Code& at) {
                const Name before = find_segment(at, at.sub_i64(position, const_i64(1)));
                at.add(Assign{first, at.add_i64(before, const_i64(1))});
              });
          return first;
        };
        const Name low = from(begin, inner.less_i64(begin, const_i64(1)), const_i64(0));
        const Name high =
            from(end, inner.less_i64(inner.sub_i64(count, const_i64(1)), end), segments);
        inner.loop(low, high, [&](Code& at, const Operand& s) {
          const Operand length = length_of(at, s);
          at.branch(
              at.less_i64(const_i64(kLongSegment), length),
              [&](Code& skip) {
                skip.add(Atomic{BinOpKind::kOr, Prim::kI64, found, const_i64(0), const_i64(1)});
              },
              [&](Code& here) { whole(here, s, length); });
        });
      });
  const Operand some =
      code.less_i64(const_i64(0), code.load(Prim::kI64, found, const_i64(0), "found"));
  code.branch(some, [&](Code& long_ones) {
    long_ones.loop(const_i64(0), segments, [&](Code& at, const Operand& s) {
      const Operand length = length_of(at, s);
      at.branch(at.less_i64(const_i64(kLongSegment), length),
                [&](Code& here) { in_parallel(here, s, length); });
    });
  });
}

void KernelLowering::reduce_segments(Code& code) {
  const auto one_segment = [&](Code& at, const Operand& s, const Operand& length, bool in_chunks) {
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
  each_segment(
      code,
      [&](Code& at, const Operand& s, const Operand& length) { one_segment(at, s, length, false); },
      [&](Code& at, const Operand& s, const Operand& length) { one_segment(at, s, length, true); });
}

void KernelLowering::scan_segments(Code& code) {
  SKALD_CHECK(!has(Sink::kReduce), "a kernel over segments scans or reduces, not both");
  const auto one_by_one = [&](Code& at, const Operand& s, const Operand& length) {
    const std::vector<Accumulators> accs = start_all(at, Sink::kScan);
    at.loop(const_i64(0), length,
            [&](Code& inner, const Operand& j) { scan_point(inner, {s, j}, accs, true); });
  };
  each_segment(
      code,
      [&](Code& at, const Operand& s, const Operand& length) {
        if (!can_scan_in_vectors()) return one_by_one(at, s, length);
        at.branch(
            at.less_i64(length, const_i64(kWorthPieces)),
            [&](Code& few) { one_by_one(few, s, length); },
            [&](Code& many) { scan_row_in_pieces(many, {s}, length); });
      },
      [&](Code& at, const Operand& s, const Operand& length) {
        scan_in_chunks(at, {s}, length, {});
      });
}

}  // namespace skald::imp
