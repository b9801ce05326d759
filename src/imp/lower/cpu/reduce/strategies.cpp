// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/reduce/strategies.h"

#include <algorithm>

#include "imp/lower/common/lane_code.h"
#include "imp/lower/cpu/loops/unrolled_rows.h"
#include "imp/lower/cpu/nest/nest.h"
#include "imp/lower/cpu/reduce/across.h"
#include "imp/lower/cpu/reduce/reduce.h"
#include "imp/lower/cpu/reduce/transposed.h"

namespace skald::imp {

using core::Sink;

namespace {

// Rows of integers whose neighbours are lanes rather than parts of each of them.
constexpr int64_t kMediumRow = 1024;
// Of few segments, those that are at least this long are cut into chunks.
constexpr int64_t kLongReduction = 32768;
// Short rows that are reduced side by side, if their points are cheap.
constexpr int64_t kReducedRows = 4;
constexpr size_t kCheapRowPoint = 24;
// Rows that have code of their own if they turn out to be so short.
constexpr int64_t kMostKnown = 3;

Operand is_wide(KernelWriter& kernel, Code& code) {
  const std::vector<Operand>& dims = kernel.facts.dims;
  return code.less_i64(const_i64(kLanes - 1), dims[dims.size() - 2]);
}

// ---- reduce/chunks

void write_reduction_chunks(KernelWriter& kernel, Code& code, const Otherwise&) {
  const std::vector<Accumulators> accs = kernel.start_all(code, Sink::kReduce);
  reduce_segment_in_chunks(kernel, code, {}, kernel.facts.dims.back(), accs);
  kernel.name_reduced(accs);
}

// ---- reduce/unrolled-rows, reduce/rows-of-few

void unroll_reduction(KernelWriter& kernel, Code& code) {
  for_each_unrolled_segment(
      kernel, code, [&](Code& at, const std::vector<Operand>& outer, int64_t length) {
        const std::vector<Accumulators> accs = kernel.start_all(at, Sink::kReduce);
        for_each_place(outer, std::span(&length, 1), [&](const std::vector<Operand>& indices) {
          reduce_point(kernel, at, indices, accs);
        });
        store_reduced(kernel, at, outer, accs);
      });
}

void write_unrolled_reduction(KernelWriter& kernel, Code& code, const Otherwise&) {
  unroll_reduction(kernel, code);
}

void write_reduction_of_few(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  if_rows_of(kernel, code, kMostKnown, unroll_reduction, otherwise);
}

// ---- reduce/across, reduce/shared-points, reduce/short-across

WhyNot why_no_reduction_across(KernelWriter& kernel) {
  if (!kernel.facts.only_straight_reductions) return "it is not straight code that only reduces";
  if (!kernel.facts.reads_across) return "neighbouring segments do not read neighbouring elements";
  return std::nullopt;
}

void write_reduction_across(KernelWriter& kernel, Code& code, const Otherwise&) {
  reduce_across(kernel, code);
}

// Neighbouring segments read the same elements, or neighbours, but for what each reads once.
bool shares_points(KernelWriter& kernel, Code& code) {
  const size_t across_dim = kernel.facts.dims.size() - 2;
  return std::ranges::all_of(kernel.accesses(code), [&](const Access& access) {
    const std::optional<Operand>& across = access.steps[across_dim];
    return is_step(across, 0) || is_step(across, 1) || is_step(access.steps.back(), 0);
  });
}

WhyNot why_no_segments_sharing_points(KernelWriter& kernel) {
  if (!why_not_along(kernel.facts)) return "its lanes can be points of one segment";
  if (!kernel.facts.has_vectors) return "it runs on the host of a device";
  if (!kernel.facts.only_straight_reductions) return "it is not straight code that only reduces";
  Code elsewhere(kernel.fn.prog);
  if (!shares_points(kernel, elsewhere)) return "segments do not read the same points";
  return std::nullopt;
}

void write_segments_sharing_points(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  code.branch(is_wide(kernel, code), [&](Code& at) { reduce_across(kernel, at); }, otherwise);
}

WhyNot why_not_short_across(KernelWriter& kernel) {
  if (!kernel.facts.reads_near_across) return "neighbouring segments read elements far apart";
  if (!why_no_segments_sharing_points(kernel))
    return "segments that share points are lanes already";
  return std::nullopt;
}

// True if the points of a segment may be combined in any order.
bool is_exact(const KernelFacts& facts) {
  return std::ranges::all_of(facts.sinks, [](const SinkInfo& info) {
    return is_simple_commutative(info.sink->op[0]) &&
           std::ranges::all_of(info.sink->op[0].fn.params,
                               [](const core::Param& p) { return is_int(p.type.elem); });
  });
}

// Short rows fill no vector, neighbouring ones do.
void write_short_across(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  const std::vector<Operand>& dims = kernel.facts.dims;
  const auto is_shorter = [&](int64_t length) {
    return code.less_i64(dims.back(), const_i64(length));
  };
  const auto in_columns = [&](Code& at) { reduce_short_across(kernel, at); };
  // In this order, as arguments have none.
  const Operand wide = is_wide(kernel, code);
  const Operand across = code.both(is_shorter(kWorthLanes), wide, "across");
  if (!is_exact(kernel.facts) || has_slow_operation(kernel.node.pull.body))
    return code.branch(across, in_columns, otherwise);
  // Of integers the order does not matter: lanes that are segments need not be combined.
  const Operand columns = dims[dims.size() - 2];
  const Operand rest = code.binop(BinOpKind::kAnd, columns, const_i64(kLanes - 1), "rest");
  const Operand few = code.less_i64(code.mul_i64(rest, const_i64(kLanes)), columns);
  const Operand medium = code.both(few, is_shorter(kMediumRow), "medium");
  code.branch(code.either(across, medium, "across"), in_columns, otherwise);
}

// ---- reduce/few-long-rows, reduce/rows-side-by-side, reduce/row-by-row

// A segment by itself, in chunks or not.
void reduce_segment(KernelWriter& kernel, Code& code, const Operand& number, bool in_chunks) {
  const std::vector<Operand> outer = kernel.segment_indices(code, number);
  const std::vector<Accumulators> accs = kernel.start_all(code, Sink::kReduce);
  const Operand& length = kernel.facts.dims.back();
  if (in_chunks)
    reduce_segment_in_chunks(kernel, code, outer, length, accs);
  else
    reduce_range(kernel, code, outer, const_i64(0), length, accs);
  store_reduced(kernel, code, outer, accs);
}

void write_few_long_reductions(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  const Operand segments = kernel.segment_count(code);
  const Operand few = code.less_i64(segments, const_i64(kFewSegments));
  const Operand long_ones = code.less_i64(const_i64(kLongReduction), kernel.facts.dims.back());
  code.branch(
      code.both(few, long_ones, "chunked"),
      [&](Code& inner) {
        inner.short_loop(const_i64(0), segments, [&](Code& at, const Operand& number) {
          reduce_segment(kernel, at, number, true);
        });
      },
      otherwise);
}

// Segments first … first+rows-1 side by side, so that their chains of operations overlap.
void reduce_rows(KernelWriter& kernel, Code& code, const Operand& first, int64_t rows) {
  std::vector<std::vector<Operand>> outer;
  std::vector<std::vector<Accumulators>> accs;
  for (int64_t r = 0; r < rows; ++r) {
    outer.push_back(kernel.segment_indices(code, code.add_i64(first, const_i64(r))));
    accs.push_back(kernel.start_all(code, Sink::kReduce));
  }
  code.short_loop(const_i64(0), kernel.facts.dims.back(), [&](Code& inner, const Operand& j) {
    for (size_t r = 0; r < outer.size(); ++r) {
      std::vector<Operand> indices = outer[r];
      indices.push_back(j);
      reduce_point(kernel, inner, indices, accs[r]);
    }
  });
  for (size_t r = 0; r < outer.size(); ++r) store_reduced(kernel, code, outer[r], accs[r]);
}

// As many rows as there are lanes, one for each; what they read along the row is transposed before.
void reduce_rows_in_lanes(KernelWriter& kernel, Code& code, const RowReads& found,
                          const Operand& first) {
  TransposedReads transposed = TransposedReads::of_rows(kernel, code, found, first, kWorthLanes);
  const Operand width = const_i64(kLanes);
  const Lanes lanes = start_lanes(kernel, code, kernel.facts.sinks, kLanes);
  code.loop(const_i64(0), kernel.facts.dims.back(), [&](Code& at, const Operand& j) {
    const PointsFrom columns(kernel, transposed.points());
    feed_lanes(kernel, at, lanes, width, LoopHint::kSimd, [&](Code& here, const Operand& lane) {
      transposed.move_to(j, lane);
      return std::vector<Operand>{here.add_i64(first, lane), j};
    });
  });
  code.loop(
      const_i64(0), width,
      [&](Code& at, const Operand& lane) {
        const Operand row = at.add_i64(first, lane);
        for (size_t k = 0; k < lanes.sinks.size(); ++k) {
          const std::vector<Operand> values = load_lane(at, lanes, k, lane);
          for (size_t v = 0; v < values.size(); ++v)
            kernel.fn.store(at, kernel.result_place(lanes.sinks[k].results + v), {row}, values[v]);
        }
      },
      1, LoopHint::kSimd);
}

WhyNot why_no_reductions_side_by_side(KernelWriter& kernel) {
  const Const* length = core::as_const(kernel.facts.dims.back());
  if (length != nullptr && core::int_value(*length) >= kWorthLanes) return "rows are long";
  if (!kernel.facts.straight) return "the points are no straight code";
  if (kernel.node.pull.body.stmts.size() > kCheapRowPoint) return "the points are costly";
  return std::nullopt;
}

void write_reductions_side_by_side(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  const Operand& length = kernel.facts.dims.back();
  const Operand segments = kernel.segment_count(code);
  const auto in_groups = [&](Code& at, int64_t rows, const Code::LoopBody& group_of_rows) {
    kernel.segments_in_groups(
        at, segments, rows, group_of_rows,
        [&](Code& here, const Operand& row) { reduce_rows(kernel, here, row, 1); });
  };
  const auto few_at_once = [&](Code& at) {
    in_groups(at, kReducedRows, [&](Code& here, const Operand& first) {
      reduce_rows(kernel, here, first, kReducedRows);
    });
  };
  const std::optional<RowReads> found = find_row_reads(kernel, code);
  const auto side_by_side = [&](Code& at) {
    if (!found) return few_at_once(at);
    at.branch(at.less_i64(length, const_i64(found->shortest)), few_at_once, [&](Code& longer) {
      in_groups(longer, kLanes, [&](Code& here, const Operand& first) {
        reduce_rows_in_lanes(kernel, here, *found, first);
      });
    });
  };
  if (core::as_const(length) != nullptr) return side_by_side(code);
  code.branch(code.less_i64(length, const_i64(kWorthLanes)), side_by_side, otherwise);
}

void write_reduction_by_rows(KernelWriter& kernel, Code& code, const Otherwise&) {
  const Operand segments = kernel.segment_count(code);
  code.parallel_for(
      segments, kernel.segment_grain(code, kernel.facts.dims.back()),
      [&](Code& at, const Operand& number) { reduce_segment(kernel, at, number, false); });
}

constexpr Strategy kFlatReductions[] = {
    {"reduce/chunks", always_fits, write_reduction_chunks},
};
constexpr Strategy kGridReductions[] = {
    {"reduce/tiles", why_no_tiles, write_tiles},
    {"reduce/unrolled-rows", why_no_unrolled_rows, write_unrolled_reduction},
    {"reduce/rows-of-few", why_no_rows_of_few, write_reduction_of_few},
    {"reduce/across", why_no_reduction_across, write_reduction_across},
    {"reduce/shared-points", why_no_segments_sharing_points, write_segments_sharing_points},
    {"reduce/short-across", why_not_short_across, write_short_across},
    {"reduce/few-long-rows", always_fits, write_few_long_reductions},
    {"reduce/rows-side-by-side", why_no_reductions_side_by_side, write_reductions_side_by_side},
    {"reduce/row-by-row", always_fits, write_reduction_by_rows},
};

}  // namespace

std::span<const Strategy> flat_reduce_strategies() {
  return kFlatReductions;
}

std::span<const Strategy> grid_reduce_strategies() {
  return kGridReductions;
}

}  // namespace skald::imp
