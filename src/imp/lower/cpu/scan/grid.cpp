// SPDX-License-Identifier: Apache-2.0
// Inclusive scans of many segments of one length, by how many and how long they are.
//
// Chunks    Few long ones one after another, each by all threads (scan.cpp).
// Rows      Of many short ones neighbours are scanned side by side, several in one register
//           (scan/rows_in_registers.cpp), or each in vectors.
// Across    If neighbouring segments are neighbours in memory, they are the lanes of vectors.
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Of few segments, those that are at least this long are cut into chunks.
constexpr int64_t kLongScan = 32768;
// Rows shorter than this are scanned element by element, several at a time.
constexpr int64_t kShortScan = 24, kShortRows = 4;
static_assert(kShortScan <= kLongestScanRow);
// Bytes of accumulators in a block of columns.
constexpr int64_t kScanAcrossBytes = 64;
// Fewer blocks of columns are scanned column by column.
constexpr int64_t kFewScanBlocks = 4;

}  // namespace

// Segments first … first+rows-1 side by side.
void KernelLowering::scan_rows(Code& code, const Operand& first, int64_t rows) {
  std::vector<std::vector<Operand>> outer;
  std::vector<std::vector<Accumulators>> accs;
  for (int64_t r = 0; r < rows; ++r) {
    outer.push_back(segment_indices(code, code.add_i64(first, const_i64(r))));
    accs.push_back(start_all(code, Sink::kScan));
  }
  code.loop(const_i64(0), dims_.back(), [&](Code& inner, const Operand& j) {
    for (size_t r = 0; r < outer.size(); ++r) {
      std::vector<Operand> indices = outer[r];
      indices.push_back(j);
      scan_point(inner, indices, accs[r], true);
    }
  });
}

// The same, in vectors.
void KernelLowering::scan_row_in_pieces(Code& code, const std::vector<Operand>& outer,
                                        const Operand& length) {
  std::vector<std::vector<Name>> carry;
  for (const Operator* op : operators(Sink::kScan)) {
    carry.emplace_back();
    for (size_t v = 0; v < op->neutral.size(); ++v) {
      const Prim type = op->fn.params[v].type.elem;
      carry.back().push_back(code.alloc(Space::kScratch, const_i64(prim_size(type)), "carry"));
      code.add(Store{type, carry.back()[v], const_i64(0), fn_.value(op->neutral[v])});
    }
  }
  scan_pieces(code, outer, const_i64(0), length, carry, {});
}

void KernelLowering::scan_across(Code& code) {
  int widest = 1;
  for (const Operator* op : operators(Sink::kScan))
    for (size_t v = 0; v < op->neutral.size(); ++v)
      widest = std::max(widest, prim_size(op->fn.params[v].type.elem));
  const int64_t width = kScanAcrossBytes / widest;
  const size_t inner_dim = dims_.size() - 2;
  const Operand blocks = chunk_count(code, dims_[inner_dim], const_i64(width));
  Operand total = blocks;
  for (size_t k = 0; k < inner_dim; ++k) total = code.mul_i64(total, dims_[k]);
  laned_.clear();
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind == Sink::kScan) laned_.push_back(info);
  const Operand grain = segment_grain(code, code.mul_i64(dims_.back(), const_i64(width)));
  code.parallel_for(total, grain, [&](Code& at, const Operand& number) {
    const ColumnBlock block = column_block(at, number, blocks, width);
    const Lanes lanes = start_lanes(at, width);
    at.loop(const_i64(0), dims_.back(), [&](Code& rows, const Operand& j) {
      const auto columns = [&](const Operand& count, LoopHint hint) {
        return [&, count, hint](Code& here) {
          here.loop(
              const_i64(0), count,
              [&](Code& inner, const Operand& lane) {
                std::vector<Accumulators> accs;
                for (size_t k = 0; k < laned_.size(); ++k) {
                  accs.emplace_back();
                  const std::vector<Operand> before = load_lane(inner, lanes, k, lane);
                  for (size_t v = 0; v < before.size(); ++v)
                    accs.back().push_back(
                        inner.var(laned_[k].sink->op[0].fn.params[v].type.elem, before[v], "acc"));
                }
                std::vector<Operand> indices = block.outer;
                indices.push_back(inner.add_i64(block.first, lane));
                indices.push_back(j);
                scan_point(inner, indices, accs, true);
                for (size_t k = 0; k < laned_.size(); ++k)
                  for (size_t v = 0; v < accs[k].size(); ++v)
                    inner.add(Store{laned_[k].sink->op[0].fn.params[v].type.elem, lanes[k][v], lane,
                                    accs[k][v]});
              },
              1, hint);
        };
      };
      rows.branch(rows.less_i64(block.count, const_i64(width)),
                  columns(block.count, LoopHint::kShort),
                  columns(const_i64(width), LoopHint::kSimd));
    });
  });
}

void KernelLowering::scan_grid(Code& code) {
  SKALD_CHECK(!has(Sink::kReduce), "a kernel on a grid scans or reduces, not both");
  if_rows_of(
      code, 1, [&](Code& at) { scan_written_out(at, short_rows()); },
      [&](Code& at) { scan_long_rows(at); });
}

void KernelLowering::scan_long_rows(Code& code) {
  const Operand segments = segment_count(code);
  // Several rows side by side, so that their chains of operations overlap.
  const auto side_by_side = [&](int64_t rows) {
    return [&, rows](Code& at) {
      const auto scan = [&](int64_t count) {
        return [&, count](Code& inner, const Operand& first) { scan_rows(inner, first, count); };
      };
      segments_in_groups(at, segments, rows, scan(rows), scan(1));
    };
  };
  const auto in_rows = [&](Code& at) {
    if (!can_scan_in_vectors()) return side_by_side(scan_streams())(at);
    const auto short_rows = [&](Code& inner) {
      if (const auto rows = find_flat_rows(inner); rows && can_scan_flat_rows())
        return scan_short_rows(inner, *rows);
      side_by_side(kShortRows)(inner);
    };
    at.branch(at.less_i64(dims_.back(), const_i64(kShortScan)), short_rows, [&](Code& inner) {
      inner.parallel_for(segments, segment_grain(inner, dims_.back()),
                         [&](Code& each, const Operand& row) {
                           scan_row_in_pieces(each, segment_indices(each, row), dims_.back());
                         });
    });
  };
  const auto plain = [&](Code& at) {
    const Operand few = at.less_i64(segments, const_i64(kFewSegments));
    const Operand long_ones = at.less_i64(const_i64(kLongScan), dims_.back());
    const Operand chunked = at.both(few, long_ones, "chunked");
    at.branch(
        chunked,
        [&](Code& inner) {
          inner.loop(const_i64(0), segments, [&](Code& one, const Operand& number) {
            scan_in_chunks(one, segment_indices(one, number), dims_.back(), {});
          });
        },
        in_rows);
  };
  const bool scatters = has(Sink::kScatter);
  if (scatters || !is_straight() || !reads_across()) return plain(code);
  const Operand enough = code.less_i64(const_i64(kFewScanBlocks * kScanAcrossBytes / 8), segments);
  code.branch(enough, [&](Code& at) { scan_across(at); }, plain);
}

}  // namespace skald::imp
