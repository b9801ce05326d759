// SPDX-License-Identifier: Apache-2.0
// What the tiles of a nest read of its rows, or of its columns: values that depend on (i, k), or on
// (j, k), for a piece of k, in the order in which tiles use them.
//
//   panels[panel][k][lane]        lane: one of the rows or columns that a tile takes at once
//
// An array that is contiguous along k is transposed on the way (imp::TransposeBlock): element by
// element that would take as long as all sums of 32 rows.
#pragma once

#include "imp/lower/cpu/nest/nest.h"

namespace skald::imp {

// How many k are packed at a time: a panel of columns takes a quarter of a first-level cache.
inline constexpr int64_t kTileDepth = 256;

class Panels {
 public:
  enum class Side : uint8_t { kRows, kColumns };
  Panels(NestWriter& nest, Side side, int64_t width);

  // Before all tasks: which arrays are contiguous along k?  Adds what the strides need.
  void find_turned(Code& code);
  // A task has the rows or columns first … first+count-1.
  void enter(Code& code, const Operand& first, const Operand& count);
  // Fills the panels for first … first+depth-1 of k.
  void pack(Code& code, const Operand& first, const Operand& depth);

  // Where a panel begins, and the values of all lanes of one k, or of one lane, from there.
  Operand place(Code& code, const Operand& panel) const {
    return code.mul_i64(panel, const_i64(kTileDepth * width_));
  }
  Operand load(Code& code, size_t value, const Operand& place) const;

  const Operand& first() const { return first_; }
  const Operand& count() const { return count_; }    // rows or columns
  const Operand& number() const { return number_; }  // panels
  int64_t width() const { return width_; }
  const std::vector<TilePlan::Packed>& values() const { return values_; }

 private:
  // A panel, and its piece of k.
  struct Piece {
    Operand base, line;  // where it begins in memory, and its first row or column in the block
    Operand first, depth;
  };
  // A load that goes along k in memory.
  struct Turned {
    size_t read;                  // statement of the thunk
    Operand step;                 // from row to row, or column to column
    std::optional<size_t> value;  // of the panels that it is
    Name buffer = {};             // [k][lane], if it is none
  };

  const core::Stmt& thunk(size_t read) const { return nest_.kernel.node.pull.body.stmts[read]; }
  std::vector<Name> alloc(Code& code, const Operand& count) const;
  void transpose(Code& code, const Piece& piece);
  void along(Code& code, const Piece& piece);
  void row_by_row(Code& code, const Piece& piece);
  void lanes(Code& code, const Piece& piece);
  void one(Code& code, const Piece& piece, const Operand& index, const Operand& lane,
           const Operand& k);
  Operand index_of(Code& code, const Piece& piece, const Operand& lane);

  NestWriter& nest_;
  const bool rows_;
  const int64_t width_;
  const std::vector<TilePlan::Packed>& values_;
  const TilePlan::Stmts& stmts_;
  std::vector<Turned> turned_ = {};
  Operand first_ = const_i64(0), count_ = const_i64(0), number_ = const_i64(0);
  std::vector<Name> memory_ = {};  // by value
};

}  // namespace skald::imp
