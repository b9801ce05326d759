// SPDX-License-Identifier: Apache-2.0
// One side of a nest like a matrix product: the values that depend on a line (a row i, or a column
// j) and on k.  For a tile of lines and a piece of k they lie in the memory of the group, twice:
// threads read one copy while they fill the other.
#pragma once

#include <vector>

#include "imp/lower/cpu/nest/nest.h"

namespace skald::imp {

// How a group works: it has `tiles` tiles of `side` x `side` results, each thread of it has `each`
// x `each` of one of them, and k is taken in pieces of `depth`.  All are powers of two.
struct TileShape {
  int64_t side, each, tiles, depth;
  // Bytes between lines of k in the memory of the group, so that one line lies in several banks.
  int64_t apart = 16;

  constexpr int64_t threads_of_side() const { return side / each; }
  constexpr int64_t threads_of_tile() const { return threads_of_side() * threads_of_side(); }
};

class Panel {
 public:
  Panel(NestWriter& nest, bool is_rows, const TileShape& shape);

  // All memory that a group needs for these values.
  int64_t bytes() const;

  // The calls below are in this order.  `tile` is which one of the group, `thread` which thread of
  // it, `coordinate` its place among those along this side.
  void make_room(Code& code);
  void start(Code& code, const Operand& tile, const Operand& thread, const Operand& coordinate,
             const Operand& first_line);
  // Loads what this thread brings for the piece of k from `first` on; later it is put into a copy.
  void fetch(Code& code, const Operand& first);
  void put(Code& code, const Operand& copy);
  // The values for the lines of this thread go into registers.
  void take(Code& code, const Operand& copy, const Operand& k);
  // The values for the one with number `r` become known.
  void give(Code& code, const Operand& r, core::Substitution& subst);
  // The value of one line.
  Operand at(Code& code, const Operand& copy, const Operand& k, const Operand& line) const;
  // What is fetched from now on lies inside; or lines may be outside, and after the last k there
  // are zeros.
  void fetch_whole() { outside_ = Outside::kNone; }
  void fetch_with_zeros() { outside_ = Outside::kZeros; }
  // Its place in the tile.
  Operand line_of(Code& code, const Operand& r) const;

 private:
  const std::vector<TilePlan::Packed>& values() const;
  Operand place(Code& code, size_t value, const Operand& copy, const Operand& k) const;
  int64_t row_of(size_t value) const;

  NestWriter& nest_;
  const bool is_rows_;
  const TileShape shape_;
  int64_t at_once_;  // neighbouring lines of a thread, 16 bytes if they are enough
  // What a fetch finds outside: nothing is, the nearest value, or zeros after the last k.
  enum class Outside : uint8_t { kNone, kNearest, kZeros } outside_ = Outside::kNearest;
  bool along_;  // do neighbouring k lie side by side, rather than neighbouring lines?
  std::vector<Name> shared_, fetched_, taken_;
  Operand tile_ = const_i64(0), first_own_ = const_i64(0), first_line_ = const_i64(0);
  Operand line_ = const_i64(0), k_ = const_i64(0);  // of the first element that a thread brings
};

}  // namespace skald::imp
