// SPDX-License-Identifier: Apache-2.0
// The points of a thread in a tile of partitions, in registers: what members bring along, and for
// every class one bit for each point.
//
//   a warp has neighbouring points, set after set:
//     set 0   lane 0: 0 1 2 3, lane 1: 4 5 6 7, …, lane 31: 124 … 127
//     set 1   lane 0: 128 …
//
// A lane loads its points of a set sixteen bytes at a time where they lie so, and has one point of
// each set otherwise.
#pragma once

#include <vector>

#include "imp/lower/gpu/fold/monoids.h"
#include "imp/lower/gpu/wide_loads.h"

namespace skald::imp {

// One partition of the kernel.
struct MemberPart {
  const SinkInfo* info;
  std::vector<size_t> monoids;  // of its classes
  // Is every point a member?  Then the last class has those that the others do not have.
  bool has_all;
  size_t counted() const { return monoids.size() - (has_all ? 1 : 0); }
};

class MemberPoints {
 public:
  MemberPoints(GpuKernel& gpu, const Monoids& monoids, int64_t tiles);
  // In the group's memory, of each point.
  static int64_t bytes_of(const KernelWriter& kernel);
  // How many points a thread can have, if the group holds so many tiles.
  static int64_t most_points(const KernelWriter& kernel, int64_t tiles);

  const std::vector<MemberPart>& parts() const { return parts_; }
  int64_t sets() const { return sets_; }
  int64_t of_set() const { return of_set_; }
  int64_t row() const { return sets_ * of_set_; }
  int64_t points() const { return row() * kGroupThreads; }

  void make_room(Code& code);
  // Registers are filled with the points of the tile; those after the last one are no members.
  void compute(Code& code, Name thread, const Operand& tile);
  // How many points the tile has; less than one if there is no such tile.
  Operand count(Code& code, const Operand& tile) const;
  // Class c of a partition: a bit for each point, the first one in the lowest bit.
  Operand mask(size_t part, size_t c) const { return masks_[part][c]; }
  // Value v of what the members of a partition bring along, at point k.
  Operand value(Code& code, size_t part, size_t v, const Operand& k) const;
  Prim type(size_t part, size_t v) const;

 private:
  void keep(Code& code, const Operand& k, const std::vector<Operand>& values);
  void in_sets(Code& code, const Operand& first);
  void one_by_one(Code& code, const Operand& first, const Operand& left);
  void finish(Code& code);

  GpuKernel& gpu_;
  WideLoads loads_;
  std::vector<MemberPart> parts_;
  int64_t of_set_ = 1, sets_ = 1;
  bool wide_ = false;
  std::vector<std::vector<Name>> masks_;  // by partition and class
  std::vector<std::vector<Name>> kept_;   // by partition and value
  Name present_ = {};                     // a bit for each point that is there
};

}  // namespace skald::imp
