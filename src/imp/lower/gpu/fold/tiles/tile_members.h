// SPDX-License-Identifier: Apache-2.0
// The members of partitions in a tile.  The points of a warp lie side by side, so a ballot says
// which of 32 neighbours belong to a class, and its bits below a lane's own how many come before
// it.  Members of one class are packed together in the group's memory, those of the first class
// first, and stored from there by neighbours side by side.
#pragma once

#include <functional>
#include <vector>

#include "imp/lower/gpu/fold/tiles/tile_state.h"

namespace skald::imp {

// Of all partitions of a kernel; each takes registers.
inline constexpr int64_t kMostClasses = 8;

class TileMembers {
 public:
  // For threads with so many points, and so many tiles at once.
  TileMembers(GpuKernel& gpu, const Monoids& monoids, int64_t row, int64_t tiles);
  // In the group's memory, of each point.
  static int64_t bytes_of(const KernelWriter& kernel);
  static int64_t classes_of(const KernelWriter& kernel);

  void make_room(Code& code);
  // What follows is about that one of the tiles.
  void choose(Code& code, const Operand& tile) {
    base_ = code.mul_i64(tile, const_i64(row_ * kGroupThreads));
  }
  // The values of the thunk at the point k of this thread, in the order of warps; a class that does
  // not exist is one of a point that is no member.
  using Values = std::function<std::vector<Operand>(Code&, const Operand& k)>;
  // How many the tile has, and where those of this warp begin; a barrier is inside.
  void count(Code& code, Name thread, const Values& values);
  void pack(Code& code, Name thread, const Values& values);
  // Of monoid k.
  Operand total(Code& code, size_t k) const;
  // After a barrier: `before` is what the tiles before this one have, `own` what it has itself.
  void store(Code& code, Name thread, const TileState& before, const TileState& own);

 private:
  // One partition.
  struct Part {
    const SinkInfo* info;
    std::vector<size_t> monoids;  // of its classes
    std::vector<Name> packed;     // the values of its members
  };
  // One class, by monoid: how many members the tile has, and the warps before this one.
  struct Counts {
    Name total = {}, before = {};
  };
  void store_part(Code& code, Name thread, const Part& part, const TileState& before,
                  const TileState& own);

  GpuKernel& gpu_;
  const Monoids& monoids_;
  const int64_t row_, tiles_;
  Operand base_ = const_i64(0);
  std::vector<Part> parts_;
  std::vector<Counts> counts_;
};

}  // namespace skald::imp
