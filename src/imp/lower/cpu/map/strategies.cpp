// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/map/strategies.h"

#include "imp/lower/cpu/loops/rows_as_one_loop.h"
#include "imp/lower/cpu/loops/unrolled_rows.h"
#include "imp/lower/cpu/map/inner_reductions.h"
#include "imp/lower/cpu/map/rows_in_scratch.h"
#include "imp/lower/cpu/nest/blocks.h"
#include "imp/lower/cpu/nest/nest.h"
#include "imp/lower/kernel/rows_as_one_copy.h"

namespace skald::imp {

namespace {

// From here on squares are quicker than rows in lanes; in elements of a row.
constexpr int64_t kLeastInSquares = 256;
// Maps over longer rows have a loop for each.
constexpr int64_t kShortFlatRow = 8;

const PointBody store_point(KernelWriter& kernel) {
  return [&](Code& at, const std::vector<Operand>& indices, const std::vector<Operand>& values) {
    kernel.direct_sinks(at, indices, values);
  };
}

// ---- map/one-copy

WhyNot why_no_copy(KernelWriter& kernel) {
  Code elsewhere(kernel.fn.prog);
  const std::optional<ArrayPlace> src = find_one_copy(kernel, elsewhere);
  if (!src) return "points do not give back rearranged rows of one array";
  const ArrayPlace& dest = kernel.result_place(0);
  if (contiguous_elsewhere(dest, *src) + 1 == dest.type.shape.size())
    return "the rows lie as in the result";
  return std::nullopt;
}

// Tiny rows stay a matter of their point, as those of neighbouring ones are lanes.
void write_copy(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  const ArrayPlace dest = kernel.result_place(0);
  const ArrayPlace src = *find_one_copy(kernel, code);
  core::Type row = dest.type;
  row.shape.erase(row.shape.begin(),
                  row.shape.begin() + static_cast<ptrdiff_t>(kernel.facts.dims.size()));
  code.branch(
      code.less_i64(const_i64(kLeastInSquares - 1), element_count(code, row)),
      [&](Code& large) {
        const OnHost host(kernel.fn);
        kernel.fn.copy(large, dest, src);
      },
      otherwise);
}

// ---- map/unrolled-rows, map/rows-of-one

void unroll_map(KernelWriter& kernel, Code& code) {
  const std::vector<int64_t> lengths = unrolled_lengths(kernel.facts);
  in_lanes_by_rows(kernel, code, lengths, [&](Code& at, const std::vector<Operand>& row) {
    for_each_place(row, lengths, [&](const std::vector<Operand>& indices) {
      kernel.point(at, indices, store_point(kernel));
    });
  });
}

void write_unrolled_map(KernelWriter& kernel, Code& code, const Otherwise&) {
  unroll_map(kernel, code);
}

void write_map_of_one(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  if_rows_of(kernel, code, 1, unroll_map, otherwise);
}

// ---- map/rows-as-one-loop

WhyNot why_no_short_loop(KernelWriter& kernel) {
  if (core::as_const(kernel.facts.dims.back()) != nullptr) return "the length of rows is known";
  return why_no_rows_as_one_loop(kernel);
}

void write_loop_of_rows(KernelWriter& kernel, Code& code, const RowsAsOneLoop& rows) {
  for_each_row_group(kernel, code, [&](Code& at, const RowGroup& group) {
    std::vector<Operand> starts;
    for (const SinkInfo& info : kernel.facts.sinks)
      for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v)
        starts.push_back(
            address(at, kernel.result_place(info.results + v), {group.first, const_i64(0)}));
    points_of_group(
        kernel, at, rows, group,
        [&](Code& inner, const Operand& k, const std::vector<Operand>& values) {
          size_t next = 0;
          for (const SinkInfo& info : kernel.facts.sinks)
            for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
              const ArrayPlace& place = kernel.result_place(info.results + v);
              inner.add(Store{place.type.elem, place.loc.block, inner.add_i64(starts[next++], k),
                              values[info.values + v]});
            }
        });
  });
}

void write_rows_as_one_loop(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  const RowsAsOneLoop rows = *find_rows_as_one_loop(kernel, code);
  const Operand few = code.less_i64(kernel.facts.dims.back(), const_i64(kShortFlatRow));
  const Operand some = code.less_i64(const_i64(0), kernel.facts.dims.back());
  code.branch(
      code.both(some, few, "short_rows"), [&](Code& in) { write_loop_of_rows(kernel, in, rows); },
      otherwise);
}

// ---- map/rows-in-scratch, map/inner-lanes, map/row-by-row

void all_points(KernelWriter& kernel, Code& code, LoopHint hint) {
  const Operand total = kernel.point_count(code);
  code.parallel_range(total, const_i64(kernel.facts.grain),
                      [&](Code& inner, const Operand& begin, const Operand& end) {
                        kernel.points(inner, begin, end, store_point(kernel), hint);
                      });
}

WhyNot why_no_scratch(KernelWriter& kernel) {
  return why_no_rows_in_scratch(kernel, !why_no_inner_lanes(kernel));
}

void write_rows_in_scratch(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  const RowsInScratch rows = find_rows_in_scratch(kernel);
  const Operand fits = fit_scratch(kernel, code, rows, !why_no_inner_lanes(kernel));
  code.branch(
      fits,
      [&](Code& at) {
        const PointsFrom scratch(kernel, points_in_scratch(kernel, rows));
        all_points(kernel, at, LoopHint::kSimd);
      },
      otherwise);
}

void write_inner_lanes(KernelWriter& kernel, Code& code, const Otherwise&) {
  kernel.fn.special_loop = [&](Code& at, const core::Stmt& stmt) {
    return write_inner_reduction(kernel.fn, at, stmt);
  };
  all_points(kernel, code, LoopHint::kNone);
  kernel.fn.special_loop = {};
}

void write_map_by_rows(KernelWriter& kernel, Code& code, const Otherwise&) {
  all_points(kernel, code, LoopHint::kSimd);
}

constexpr Strategy kMaps[] = {
    {"map/one-copy", why_no_copy, write_copy},
    {"map/tiles", why_no_tiles, write_tiles},
    {"map/blocks", why_no_blocks, write_blocks},
    {"map/unrolled-rows", why_no_unrolled_rows, write_unrolled_map},
    {"map/rows-of-one", why_no_rows_of_few, write_map_of_one},
    {"map/rows-as-one-loop", why_no_short_loop, write_rows_as_one_loop},
    {"map/rows-in-scratch", why_no_scratch, write_rows_in_scratch},
    {"map/inner-lanes", why_no_inner_lanes, write_inner_lanes},
    {"map/row-by-row", always_fits, write_map_by_rows},
};

}  // namespace

std::span<const Strategy> map_strategies() {
  return kMaps;
}

}  // namespace skald::imp
