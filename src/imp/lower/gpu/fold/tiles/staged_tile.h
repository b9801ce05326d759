// SPDX-License-Identifier: Apache-2.0
// The values of a tile's points, in the memory of the group that works on it.
#pragma once

#include <functional>
#include <vector>

#include "imp/lower/gpu/fold/tiles/tile_state.h"

namespace skald::imp {

class StagedTile {
 public:
  // Of each point, the group keeps so many bytes besides.  If there is room for several tiles, one
  // more is in registers, so many bytes of each thread.
  StagedTile(KernelWriter& kernel, int64_t more_of_point, int64_t tiles, int64_t next_bytes);
  WhyNot why_not() const;

  // Points of a thread, an odd number so that rows lie in different banks; and of the tile.
  int64_t row() const { return row_; }
  int64_t points() const { return row_ * kGroupThreads; }

  void make_room(Code& code);
  // What follows is about that one of the tiles.
  void choose(Code& code, const Operand& tile) { base_ = code.mul_i64(tile, const_i64(points())); }
  // The point is not there unless it is stored.  Needed with a guard, and for points after the
  // last one where there are partitions.
  void set_absent(Code& code, const Operand& offset);
  // With a guard.
  void if_present(Code& code, const Operand& offset, const std::function<void(Code&)>& then);
  void store(Code& code, const Operand& offset, const std::vector<Operand>& values);
  // All values of the thunk, or one of them.
  std::vector<Operand> load(Code& code, const Operand& offset);
  Operand load_value(Code& code, size_t value, const Operand& offset);
  void store_value(Code& code, size_t value, const Operand& offset, const Operand& what);
  // How a value of the thunk is kept; the class of a member is a byte.
  Prim kept_as(size_t value) const { return slots_[value].kept; }

 private:
  struct Slot {
    Prim type, kept;
    int64_t classes = 0;
    Name block = {};
  };

  KernelWriter& kernel_;
  std::vector<Slot> slots_;
  bool has_arrays_ = false, too_many_classes_ = false;
  int64_t bytes_ = 0, row_ = 1, tiles_ = 1;
  Operand base_ = const_i64(0);
  Name present_ = {};
};

}  // namespace skald::imp
