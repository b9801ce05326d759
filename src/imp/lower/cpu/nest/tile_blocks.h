// SPDX-License-Identifier: Apache-2.0
// The blocks into which a nest like a matrix product is cut, one for each task.
#pragma once

#include "imp/lower/cpu/nest/nest.h"

namespace skald::imp {

class TileBlocks {
 public:
  // A tile has so many rows and lanes; accumulators have `width` bytes.  `in_parts`: may sums be
  // cut, so that a task has some of the rounds of k?
  TileBlocks(NestWriter& nest, int64_t rows, int64_t lanes, int64_t width, bool in_parts)
      : nest_(nest), rows_(rows), lanes_(lanes), width_(width), in_parts_(in_parts) {}

  // Sizes; is it a nest for tiles?
  Operand prepare(Code& code);
  // Then, if it is one: blocks for all threads, if there are few.  Results do not depend on it.
  void fit(Code& code);

  // Sums are cut into so many parts, of so many rounds each.
  Operand parts = const_i64(1), part_depth = const_i64(0);
  Operand block_rows = const_i64(0), block_columns = const_i64(0);
  Operand row_blocks = const_i64(0), column_blocks = const_i64(0);
  Operand tasks = const_i64(0);

 private:
  void count_tasks(Code& code);
  Operand enough_tasks(Code& code, const Operand& result);

  NestWriter& nest_;
  const int64_t rows_, lanes_, width_;
  const bool in_parts_;
  Operand others_ = const_i64(1);  // tasks for each block: places in outer dimensions, parts
};

}  // namespace skald::imp
