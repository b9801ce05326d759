// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/nest/tile_blocks.h"

#include <algorithm>

#include "imp/lower/cpu/nest/panels.h"

namespace skald::imp {

namespace {

// The rows of a block, and the bytes of accumulators in each of them.  Large blocks pack less
// often, but there must be enough of them for all threads.
struct BlockShape {
  int64_t least_result, rows, row_bytes;
};
constexpr BlockShape kBlockShapes[] = {{0, 32, 512}, {1 << 17, 64, 1024}, {1 << 20, 128, 1024}};
// If there are fewer blocks than this for each thread, there is one for each, of so many rows at
// most.
constexpr int64_t kBlocksPerThread = 4, kMostBlockRows = 128;
// Below this, packing costs more than it gives.
constexpr int64_t kLeastRows = 4, kLeastColumns = 8, kLeastDepth = 8;
// Fewer tasks than this share the work badly, which matters if there is this much of it.
constexpr int64_t kFewTasks = 8, kMuchWork = 1 << 20;
// Into so many parts long sums are cut at most.
constexpr int64_t kMostSumParts = 32;

}  // namespace

Operand TileBlocks::prepare(Code& code) {
  nest_.count_rows(code);
  nest_.q = nest_.fn.value(nest_.plan.bound);
  if (nest_.plan.k_type != Prim::kI64)
    nest_.q = code.let(Prim::kI64, core::Convert{nest_.plan.k_type, Prim::kI64, nest_.q}, "depth");
  const Operand result = code.mul_i64(nest_.n, nest_.m);
  for (const BlockShape& shape : kBlockShapes) {
    const Operand rows = const_i64(shape.rows), columns = const_i64(shape.row_bytes / width_);
    if (shape.least_result == 0) {
      block_rows = rows;
      block_columns = columns;
      continue;
    }
    const Operand large = code.less_i64(const_i64(shape.least_result - 1), result);
    block_rows = code.let(Prim::kI64, core::Select{large, rows, block_rows}, "block_rows");
    block_columns =
        code.let(Prim::kI64, core::Select{large, columns, block_columns}, "block_columns");
  }
  for (size_t d = 0; d < nest_.outer; ++d) others_ = code.mul_i64(others_, nest_.outer_size(d));
  count_tasks(code);
  const auto at_least = [&](const Operand& size, int64_t least) {
    return code.less_i64(const_i64(least - 1), size);
  };
  const Operand columns = at_least(nest_.m, kLeastColumns);
  const Operand rows = at_least(nest_.n, kLeastRows);
  const Operand area = code.both(rows, columns, "and");
  const Operand depth = at_least(nest_.q, kLeastDepth);
  const Operand deep = code.both(depth, area, "and");
  return code.both(deep, enough_tasks(code, result), "and");
}

void TileBlocks::count_tasks(Code& code) {
  row_blocks = chunk_count(code, nest_.n, block_rows);
  column_blocks = chunk_count(code, nest_.m, block_columns);
  tasks = code.mul_i64(code.mul_i64(row_blocks, column_blocks), others_);
}

// Is there enough to share?  Results depend on this, so it follows from sizes alone.
Operand TileBlocks::enough_tasks(Code& code, const Operand& result) {
  const auto is_enough = [&](const Operand& count) {
    return code.less_i64(const_i64(kFewTasks - 1), count);
  };
  const Operand little = code.less_i64(code.mul_i64(result, nest_.q), const_i64(kMuchWork));
  const Operand enough = code.either(is_enough(tasks), little, "or");
  // In blocks of one tile.
  const Operand row_tiles = chunk_count(code, nest_.n, const_i64(rows_));
  const Operand column_tiles = chunk_count(code, nest_.m, const_i64(lanes_));
  const Operand smallest = code.mul_i64(code.mul_i64(row_tiles, column_tiles), others_);
  const Operand good = code.either(enough, is_enough(smallest), "or");
  if (!in_parts_) return good;
  const Operand most = code.max_i64(
      const_i64(1),
      code.min_i64(const_i64(kMostSumParts),
                   code.binop(BinOpKind::kQuot, nest_.q, const_i64(kTileDepth), "pieces")));
  // Sums that are not long enough for that are not cut, but blocks are smaller.
  const Operand in_parts = is_enough(code.mul_i64(tasks, most));
  const Operand cut = code.let(Prim::kI64, core::Select{in_parts, most, const_i64(1)}, "cut");
  parts = code.let(Prim::kI64, core::Select{enough, const_i64(1), cut}, "parts");
  // The same number of whole pieces of k in each part, as far as there are as many.
  const Operand depth = chunk_count(code, nest_.q, parts);
  const Operand pieces =
      code.binop(BinOpKind::kQuot, code.add_i64(depth, const_i64(kTileDepth - 1)),
                 const_i64(kTileDepth), "pieces");
  part_depth = code.mul_i64(pieces, const_i64(kTileDepth));
  others_ = code.mul_i64(others_, parts);
  return code.either(good, in_parts, "or");
}

void TileBlocks::fit(Code& code) {
  count_tasks(code);
  const Name threads = code.fresh("threads");
  code.add(Workers{threads});
  const Operand many = code.less_i64(code.mul_i64(threads, const_i64(kBlocksPerThread)), tasks);
  // As many blocks along one dimension as there are threads for each of those along others.
  const auto shares = [&](const Operand& size, const Operand& blocks, int64_t unit) {
    const Operand there = code.max_i64(const_i64(1), code.mul_i64(blocks, others_));
    const Operand share = chunk_count(code, size, chunk_count(code, threads, there));
    return code.mul_i64(chunk_count(code, share, const_i64(unit)), const_i64(unit));
  };
  const auto choose = [&](const Operand& usual, const Operand& share, const Operand& most) {
    return code.let(Prim::kI64, core::Select{many, usual, code.min_i64(share, most)}, "block");
  };
  block_rows = choose(block_rows, shares(nest_.n, column_blocks, rows_),
                      const_i64(std::max(kMostBlockRows, rows_)));
  row_blocks = chunk_count(code, nest_.n, block_rows);
  block_columns = choose(block_columns, shares(nest_.m, row_blocks, lanes_), block_columns);
  count_tasks(code);
}

}  // namespace skald::imp
