// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/segments/strategies.h"

#include "imp/lower/cpu/reduce/reduce.h"
#include "imp/lower/cpu/scan/scan.h"

namespace skald::imp {

using core::Sink;

namespace {

// Longer segments are worked on by all threads.
constexpr int64_t kLongSegment = 1 << 17;
// Shorter ones are not worth vectors.
constexpr int64_t kWorthPieces = 48;

using SegmentBody = std::function<void(Code&, const Operand& s, const Operand& length)>;

Operand length_of(KernelWriter& kernel, Code& code, const Operand& s) {
  const Operand end = kernel.segment_begin(code, code.add_i64(s, const_i64(1)));
  return code.sub_i64(end, kernel.segment_begin(code, s));
}

// If a point may fail, the lowest one must be the first to do so, and no segment is left for
// afterwards.
void each_segment_in_order(KernelWriter& kernel, Code& code, const SegmentBody& whole,
                           const SegmentBody& in_parallel) {
  const Operand segments = kernel.facts.dims[0];
  code.branch(
      code.less_i64(segments, const_i64(kFewSegments)),
      [&](Code& few) {
        few.loop(const_i64(0), segments,
                 [&](Code& at, const Operand& s) { in_parallel(at, s, length_of(kernel, at, s)); });
      },
      [&](Code& many) {
        many.parallel_for(segments, const_i64(0), [&](Code& at, const Operand& s) {
          whole(at, s, length_of(kernel, at, s));
        });
      });
}

// The first segment that begins at or after a position; `instead` if that is `at_end`.
Name first_from(KernelWriter& kernel, Code& code, const Operand& position, const Operand& at_end,
                const Operand& instead) {
  const Name first = code.var(Prim::kI64, instead, "first");
  code.branch(
      at_end, [](Code&) {},
      [&](Code& at) {
        const Name before = kernel.find_segment(at, at.sub_i64(position, const_i64(1)));
        at.add(Assign{first, at.add_i64(before, const_i64(1))});
      });
  return first;
}

// Whole segments, shared by elements: a task takes those that begin in its range.  Segments that
// are long beside a task are left for afterwards, one by one, each by all threads.
void each_segment(KernelWriter& kernel, Code& code, const SegmentBody& whole,
                  const SegmentBody& in_parallel) {
  // The host of a device has no atomic instructions to note long segments with.
  if (!kernel.facts.straight || !kernel.facts.has_vectors)
    return each_segment_in_order(kernel, code, whole, in_parallel);
  const Operand segments = kernel.facts.dims[0];
  const Name found = code.alloc(Space::kScratch, const_i64(8), "found");
  code.add(Store{Prim::kI64, found, const_i64(0), const_i64(0)});
  const Operand count = code.max_i64(kernel.facts.dims[1], const_i64(1));
  code.parallel_range(
      count, const_i64(kernel.facts.grain),
      [&](Code& inner, const Operand& begin, const Operand& end) {
        const Name low =
            first_from(kernel, inner, begin, inner.less_i64(begin, const_i64(1)), const_i64(0));
        const Name high = first_from(
            kernel, inner, end, inner.less_i64(inner.sub_i64(count, const_i64(1)), end), segments);
        inner.loop(low, high, [&](Code& at, const Operand& s) {
          const Operand length = length_of(kernel, at, s);
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
      const Operand length = length_of(kernel, at, s);
      at.branch(at.less_i64(const_i64(kLongSegment), length),
                [&](Code& here) { in_parallel(here, s, length); });
    });
  });
}

// ---- segments/scan

void write_scan(KernelWriter& kernel, Code& code, const Otherwise&) {
  SKALD_CHECK(!kernel.facts.has(Sink::kReduce),
              "a kernel over segments scans or reduces, not both");
  const auto one_by_one = [&](Code& at, const Operand& s, const Operand& length) {
    const std::vector<Accumulators> accs = kernel.start_all(at, Sink::kScan);
    at.loop(const_i64(0), length,
            [&](Code& inner, const Operand& j) { scan_point(kernel, inner, {s, j}, accs, true); });
  };
  each_segment(
      kernel, code,
      [&](Code& at, const Operand& s, const Operand& length) {
        if (!kernel.facts.scan.in_vectors()) return one_by_one(at, s, length);
        at.branch(
            at.less_i64(length, const_i64(kWorthPieces)),
            [&](Code& few) { one_by_one(few, s, length); },
            [&](Code& many) { scan_row_in_pieces(kernel, many, {s}, length); });
      },
      [&](Code& at, const Operand& s, const Operand& length) {
        scan_in_chunks(kernel, at, {s}, length, {});
      });
}

// ---- segments/reduce

void write_reduce(KernelWriter& kernel, Code& code, const Otherwise&) {
  each_segment(
      kernel, code,
      [&](Code& at, const Operand& s, const Operand& length) {
        const std::vector<Accumulators> accs = kernel.start_all(at, Sink::kReduce);
        reduce_range(kernel, at, {s}, const_i64(0), length, accs);
        store_reduced(kernel, at, {s}, accs);
      },
      [&](Code& at, const Operand& s, const Operand& length) {
        const std::vector<Accumulators> accs = kernel.start_all(at, Sink::kReduce);
        reduce_segment_in_chunks(kernel, at, {s}, length, accs);
        store_reduced(kernel, at, {s}, accs);
      });
}

// ---- segments/map

void write_map(KernelWriter& kernel, Code& code, const Otherwise&) {
  code.parallel_range(kernel.facts.dims[1], const_i64(kernel.facts.grain),
                      [&](Code& inner, const Operand& begin, const Operand& end) {
                        kernel.points(inner, begin, end,
                                      [&](Code& here, const std::vector<Operand>& all,
                                          const std::vector<Operand>& values) {
                                        kernel.direct_sinks(here, all, values);
                                      });
                      });
}

constexpr Strategy kSegmentScans[] = {{"segments/scan", always_fits, write_scan}};
constexpr Strategy kSegmentReductions[] = {{"segments/reduce", always_fits, write_reduce}};
constexpr Strategy kSegmentMaps[] = {{"segments/map", always_fits, write_map}};

}  // namespace

std::span<const Strategy> segment_scan_strategies() {
  return kSegmentScans;
}

std::span<const Strategy> segment_reduce_strategies() {
  return kSegmentReductions;
}

std::span<const Strategy> segment_map_strategies() {
  return kSegmentMaps;
}

}  // namespace skald::imp
