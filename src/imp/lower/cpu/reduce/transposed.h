// SPDX-License-Identifier: Apache-2.0
// What lanes read that are stretches of one reduction (in_order.cpp), or short rows.
//
// Lane l is at point first + l * stretch + t when all of them have done t points: an array that is
// contiguous along the points is read in steps of a whole stretch, element by element.  So a block
// of `lanes` stretches is transposed first, by vector registers, into a buffer that fits into the
// first cache; from there each step is one vector load.  Memory is read in its order this way.
//
//    stretch 0   a b c d …       a e i m …   step 0
//    stretch 1   e f g h …   →   b f j n …   step 1
//    stretch 2   i j k l …       c g k o …
//    stretch 3   m n o p …       d h l p …
#pragma once

#include <optional>
#include <vector>

#include "imp/lower/kernel/writer.h"

namespace skald::imp {

// What short rows next to each other read along the row.
struct RowReads {
  std::vector<size_t> reads;   // statements of the thunk
  std::vector<Operand> steps;  // from row to row
  int64_t shortest = 0;        // rows that have no square to go through registers do not pay
};
// Nothing if rows do not read so.  Adds what the strides need.
std::optional<RowReads> find_row_reads(KernelWriter& kernel, Code& code);

class TransposedReads {
 public:
  // For blocks of `width` stretches of at most `longest` points.  Nothing if there is no such read.
  static std::optional<TransposedReads> along(KernelWriter& kernel, Code& code, int64_t width,
                                              int64_t longest);
  // For as many rows from `first` on as there are lanes, of at most `longest` points.
  static TransposedReads of_rows(KernelWriter& kernel, Code& code, const RowReads& found,
                                 const Operand& first, int64_t longest);

  // Fills the buffers with what the points of as many stretches as there are lanes read, from
  // `first` on.
  void fill(Code& code, const std::vector<Operand>& outer, const Operand& first,
            const Operand& stretch);
  // Points that read there, and where the next one is.
  PointSource points();
  void move_to(const Operand& t, const Operand& lane) {
    t_ = t;
    lane_ = lane;
  }

 private:
  TransposedReads(KernelWriter& kernel, int64_t width) : kernel_(&kernel), width_(width) {}
  Prim read_type(size_t k) const;

  KernelWriter* kernel_;
  int64_t width_;
  std::vector<size_t> reads_ = {};  // statements of the thunk, if it has not run already
  std::vector<Name> buffers_ = {};  // of each of them, or of each value that waits
  const Staged* staged_ = nullptr;  // where these wait
  Operand t_ = const_i64(0), lane_ = const_i64(0);
};

}  // namespace skald::imp
