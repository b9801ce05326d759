// SPDX-License-Identifier: Apache-2.0
// What the thunk of a kernel loads at some neighbouring points of a row, where that lies side by
// side: sixteen bytes at a time, into registers.
//
//   points of the row   0 1 2 │ 3 4 5 6 │ 7 8 9 10 │ 11
//                       head      a set of points     rest
//
// Sets begin where the loads are aligned.
#pragma once

#include <vector>

#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

// The body for each of so many sets, written out.
void each_set(Code& code, int64_t sets, const Code::LoopBody& body);
// Is this a multiple of as many elements as kWideBytes are?
Operand is_whole(Code& code, Prim type, const Operand& elements);
// Does this element lie at a multiple of kWideBytes?
Operand is_aligned(Code& code, Prim type, Name block, const Operand& place);

class WideLoads {
 public:
  // Points are neighbours along this index; a set has at least so many.
  WideLoads(GpuKernel& gpu, size_t along, int64_t least = 1);

  // Points of a set; 1 if nothing can be loaded wide.
  int64_t points() const { return points_; }
  // Sets whose loads can be under way together.
  int64_t sets() const;

  // How many points of a row come before its first set, at most `length` of them; all of them if
  // loads are not aligned at the same points.  `row` are the indices of a point of the row, of
  // which the one along does not count.
  Operand head(Code& code, const std::vector<Operand>& row, const Operand& length);
  // Are all loads aligned at this point?
  Operand aligned(Code& code, const std::vector<Operand>& at);
  // Are all loads aligned wherever the index along is a multiple of points(), in all rows?
  Operand aligned_in_all_rows(Code& code);
  // Room for so many sets.
  void make_room(Code& code, int64_t sets);
  // Loads set number `set` (a constant when loops are written out), which begins at this point.
  void load(Code& code, const Operand& set, const std::vector<Operand>& first);
  // The same by single elements, where loads are not aligned.
  void load_singly(Code& code, const Operand& set, const std::vector<Operand>& first);
  // The thunk at point k of the set.
  std::vector<Operand> values(Code& code, const Operand& set, const Operand& k,
                              const std::vector<Operand>& indices);

 private:
  struct Wide {
    size_t stmt;
    Prim type;
    Name room = {};
    int64_t at_once() const { return kWideBytes / prim_size(type); }
  };

  KernelWriter& kernel_;
  const size_t along_;
  std::vector<Wide> loads_;
  int64_t points_ = 1;
};

}  // namespace skald::imp
