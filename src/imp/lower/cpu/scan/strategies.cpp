// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/scan/strategies.h"

#include <algorithm>

#include "imp/lower/cpu/loops/lanes.h"
#include "imp/lower/cpu/loops/unrolled_rows.h"
#include "imp/lower/cpu/scan/scan.h"
#include "imp/lower/kernel/scan_facts.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Of few segments, those that are at least this long are cut into chunks.
constexpr int64_t kLongScan = 32768;
// Rows shorter than this are scanned element by element, several at a time.
constexpr int64_t kShortScan = 24, kScannedRows = 4;
static_assert(kShortScan <= kLongestScanRow);
// Bytes of accumulators in a block of columns.
constexpr int64_t kScanAcrossBytes = 64;
// Fewer blocks of columns are scanned column by column.
constexpr int64_t kFewScanBlocks = 4;

// ---- scan/chunks

void write_scan_chunks(KernelWriter& kernel, Code& code, const Otherwise&) {
  const std::vector<Accumulators> reduced = kernel.start_all(code, Sink::kReduce);
  scan_in_chunks(kernel, code, {}, kernel.facts.dims[0], reduced);
  kernel.name_reduced(reduced);
}

// ---- scan/rows-of-one

void unroll_scan(KernelWriter& kernel, Code& code) {
  for_each_unrolled_segment(
      kernel, code, [&](Code& at, const std::vector<Operand>& outer, int64_t length) {
        const std::vector<Accumulators> accs = kernel.start_all(at, Sink::kScan);
        for_each_place(outer, std::span(&length, 1), [&](const std::vector<Operand>& indices) {
          scan_point(kernel, at, indices, accs, true);
        });
      });
}

void write_scan_of_one(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  if_rows_of(kernel, code, 1, unroll_scan, otherwise);
}

// ---- scan/across

WhyNot why_no_scan_across(KernelWriter& kernel) {
  if (kernel.facts.has(Sink::kScatter)) return "it scatters";
  if (!kernel.facts.straight) return "the points are no straight code";
  if (!kernel.facts.reads_across) return "neighbouring segments do not read neighbouring elements";
  return std::nullopt;
}

// One point of each column of a block.
void scan_columns(KernelWriter& kernel, Code& code, const Lanes& lanes, const ColumnBlock& block,
                  const Operand& j, const Operand& count, LoopHint hint) {
  code.loop(
      const_i64(0), count,
      [&](Code& inner, const Operand& lane) {
        std::vector<Accumulators> accs;
        for (size_t k = 0; k < lanes.sinks.size(); ++k) {
          accs.emplace_back();
          const std::vector<Operand> before = load_lane(inner, lanes, k, lane);
          for (size_t v = 0; v < before.size(); ++v)
            accs.back().push_back(inner.var(lanes.op(k).fn.params[v].type.elem, before[v], "acc"));
        }
        std::vector<Operand> indices = block.outer;
        indices.push_back(inner.add_i64(block.first, lane));
        indices.push_back(j);
        scan_point(kernel, inner, indices, accs, true);
        for (size_t k = 0; k < lanes.sinks.size(); ++k)
          store_lane(inner, lanes, k, lane, {accs[k].begin(), accs[k].end()});
      },
      1, hint);
}

void scan_across(KernelWriter& kernel, Code& code) {
  const std::vector<Operand>& dims = kernel.facts.dims;
  int widest = 1;
  for (const Operator* op : kernel.facts.operators(Sink::kScan))
    for (size_t v = 0; v < op->neutral.size(); ++v)
      widest = std::max(widest, prim_size(op->fn.params[v].type.elem));
  const int64_t width = kScanAcrossBytes / widest;
  const size_t inner_dim = dims.size() - 2;
  const Operand blocks = chunk_count(code, dims[inner_dim], const_i64(width));
  Operand total = blocks;
  for (size_t k = 0; k < inner_dim; ++k) total = code.mul_i64(total, dims[k]);
  const Operand grain = kernel.segment_grain(code, code.mul_i64(dims.back(), const_i64(width)));
  code.parallel_for(total, grain, [&](Code& at, const Operand& number) {
    const ColumnBlock block = column_block(kernel, at, number, blocks, width);
    const Lanes lanes = start_lanes(kernel, at, kernel.facts.sinks_of(Sink::kScan), width);
    at.loop(const_i64(0), dims.back(), [&](Code& rows, const Operand& j) {
      const auto columns = [&](const Operand& count, LoopHint hint) {
        return [&, count, hint](Code& here) {
          scan_columns(kernel, here, lanes, block, j, count, hint);
        };
      };
      rows.branch(rows.less_i64(block.count, const_i64(width)),
                  columns(block.count, LoopHint::kShort),
                  columns(const_i64(width), LoopHint::kSimd));
    });
  });
}

void write_scan_across(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  const Operand enough =
      code.less_i64(const_i64(kFewScanBlocks * kScanAcrossBytes / 8), kernel.segment_count(code));
  code.branch(enough, [&](Code& at) { scan_across(kernel, at); }, otherwise);
}

// ---- scan/few-long-rows

void write_few_long_scans(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  const Operand& length = kernel.facts.dims.back();
  const Operand segments = kernel.segment_count(code);
  const Operand few = code.less_i64(segments, const_i64(kFewSegments));
  const Operand long_ones = code.less_i64(const_i64(kLongScan), length);
  code.branch(
      code.both(few, long_ones, "chunked"),
      [&](Code& inner) {
        inner.loop(const_i64(0), segments, [&](Code& one, const Operand& number) {
          scan_in_chunks(kernel, one, kernel.segment_indices(one, number), length, {});
        });
      },
      otherwise);
}

// ---- scan/rows-in-vectors

WhyNot why_no_rows_in_vectors(KernelWriter& kernel) {
  if (!kernel.facts.scan.in_vectors()) return "the operators are not done in vectors";
  return std::nullopt;
}

void write_rows_in_vectors(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  const Operand& length = kernel.facts.dims.back();
  code.branch(code.less_i64(length, const_i64(kShortScan)), otherwise, [&](Code& inner) {
    inner.parallel_for(kernel.segment_count(inner), kernel.segment_grain(inner, length),
                       [&](Code& each, const Operand& row) {
                         scan_row_in_pieces(kernel, each, kernel.segment_indices(each, row),
                                            length);
                       });
  });
}

// ---- scan/rows-in-registers, scan/rows-side-by-side

WhyNot why_no_short_rows_in_registers(KernelWriter& kernel) {
  if (disabled(kernel, "scan/rows-in-vectors")) return "rows may be long";
  return why_no_rows_in_registers(kernel);
}

void write_rows_in_registers(KernelWriter& kernel, Code& code, const Otherwise&) {
  scan_rows_in_registers(kernel, code);
}

// Segments first … first+rows-1 side by side, so that their chains of operations overlap.
void scan_rows(KernelWriter& kernel, Code& code, const Operand& first, int64_t rows) {
  std::vector<std::vector<Operand>> outer;
  std::vector<std::vector<Accumulators>> accs;
  for (int64_t r = 0; r < rows; ++r) {
    outer.push_back(kernel.segment_indices(code, code.add_i64(first, const_i64(r))));
    accs.push_back(kernel.start_all(code, Sink::kScan));
  }
  code.loop(const_i64(0), kernel.facts.dims.back(), [&](Code& inner, const Operand& j) {
    for (size_t r = 0; r < outer.size(); ++r) {
      std::vector<Operand> indices = outer[r];
      indices.push_back(j);
      scan_point(kernel, inner, indices, accs[r], true);
    }
  });
}

void write_scans_side_by_side(KernelWriter& kernel, Code& code, const Otherwise&) {
  const ScanFacts& facts = kernel.facts.scan;
  const int64_t rows = facts.in_vectors() ? kScannedRows : facts.streams;
  const auto scan = [&](int64_t count) {
    return
        [&, count](Code& inner, const Operand& first) { scan_rows(kernel, inner, first, count); };
  };
  kernel.segments_in_groups(code, kernel.segment_count(code), rows, scan(rows), scan(1));
}

constexpr Strategy kFlatScans[] = {
    {"scan/chunks", always_fits, write_scan_chunks},
};
constexpr Strategy kGridScans[] = {
    {"scan/rows-of-one", why_no_rows_of_few, write_scan_of_one},
    {"scan/across", why_no_scan_across, write_scan_across},
    {"scan/few-long-rows", always_fits, write_few_long_scans},
    {"scan/rows-in-vectors", why_no_rows_in_vectors, write_rows_in_vectors},
    {"scan/rows-in-registers", why_no_short_rows_in_registers, write_rows_in_registers},
    {"scan/rows-side-by-side", always_fits, write_scans_side_by_side},
};

}  // namespace

std::span<const Strategy> flat_scan_strategies() {
  return kFlatScans;
}

std::span<const Strategy> grid_scan_strategies() {
  return kGridScans;
}

void explain_scan_way(KernelWriter& kernel) {
  for (const ScanWay& way : scan_ways()) {
    WhyNot why = &way == &scan_ways().back() ? std::nullopt : disabled(kernel, way.name);
    if (!why) why = way.why_not(kernel.facts, kernel.fn.options);
    if (!why) return explain_taken(kernel, way.name);
    explain_refused(kernel, way.name, *why);
  }
}

}  // namespace skald::imp
