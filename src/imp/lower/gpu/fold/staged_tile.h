// SPDX-License-Identifier: Apache-2.0
// The values of a tile's points, in the memory of the group that works on it.
#pragma once

#include <functional>
#include <vector>

#include "imp/lower/gpu/fold/look_back.h"

namespace skald::imp {

class StagedTile {
 public:
  // Of each point, the group keeps so many bytes besides; of each thread, too.
  StagedTile(KernelWriter& kernel, int64_t more_of_point, int64_t more_of_thread);
  WhyNot why_not() const;

  // Points of a thread, an odd number so that rows lie in different banks; and of the tile.
  int64_t row() const { return row_; }
  int64_t points() const { return row_ * kGroupThreads; }

  void make_room(Code& code);
  // With a guard: the point is not there unless it is stored.
  void set_absent(Code& code, const Operand& offset);
  void if_present(Code& code, const Operand& offset, const std::function<void(Code&)>& then);
  void store(Code& code, const Operand& offset, const std::vector<Operand>& values);
  // All values of the thunk.
  std::vector<Operand> load(Code& code, const Operand& offset);
  // What was scanned takes the place of what went in; a member gets its rank, the number of members
  // of its class before it in the tile.  The state includes the point.  Reductions of segments are
  // scans, of which the last point counts.
  void replace(Code& code, const Operand& offset, Monoids& monoids, const TileState& state,
               bool reductions_too);
  // The latter, of one partition.
  Operand rank(Code& code, const SinkInfo& info, const Operand& offset);

 private:
  // How a value is kept.  The class of a member is in the low bits of a word, and has its rank in
  // the others later.
  struct Slot {
    Prim type, kept;
    int64_t classes = 0;
    Name block = {};
  };

  KernelWriter& kernel_;
  std::vector<Slot> slots_;
  bool has_arrays_ = false, too_many_classes_ = false;
  int64_t bytes_ = 0, row_ = 1;
  Name present_ = {};
};

}  // namespace skald::imp
