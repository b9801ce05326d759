// SPDX-License-Identifier: Apache-2.0
// The members of a tile: how many each class has, and where each member goes.
//
// A lane counts its members of a class, set by set, in parts of a word; one scan over the lanes
// then tells for all sets how many come before.  Members of one class are packed together in the
// group's memory, those of the first class first, and stored from there side by side.
#pragma once

#include "imp/lower/gpu/fold/members/member_points.h"
#include "imp/lower/gpu/fold/members/packed_counts.h"

namespace skald::imp {

class MemberCounts {
 public:
  // For so many tiles at once.
  MemberCounts(GpuKernel& gpu, const MemberPoints& points, int64_t tiles);
  // Those that are counted; the others follow from them.
  int64_t classes() const { return classes_; }

  void make_room(Code& code);
  // What follows is about that one of the tiles.
  void choose(Code& code, const Operand& tile) {
    base_ = code.mul_i64(tile, const_i64(points_.points()));
  }
  // Before a barrier: what the warps have, and after it: what the tile has.
  void count(Code& code, Name thread);
  PackedCounts all(Code& code, Name thread);
  // Then: into the group's memory.  `count`: points of the tile.
  void pack(Code& code, Name thread, const PackedCounts& all, const Operand& count);
  // How many members a class of a partition has, of all of which there are so many points, if
  // those that are counted have so many.
  Operand of_class(Code& code, size_t part, size_t c, const std::vector<Operand>& counted,
                   const Operand& points) const;
  std::vector<Operand> fields(Code& code, const PackedCounts& counts) const;
  // After a barrier: by class that is counted, how many come before the tile and are in it; and
  // how many points.
  void store(Code& code, Name thread, const std::vector<Operand>& before,
             const std::vector<Operand>& own, const Operand& points_before, const Operand& count);

 private:
  // One class that is counted; all sets in some words.
  struct Lanes {
    std::vector<Operand> before, all;  // of the lanes before this one, and of all lanes
  };
  int64_t sets_of_word() const { return 32 / bits_; }
  Operand set_field(Code& code, const std::vector<Operand>& words, int64_t set) const;
  void pack_part(Code& code, size_t part, const std::vector<Name>& next, const Operand& lane,
                 const Operand& left);
  void store_class(Code& code, Name thread, size_t part, size_t c, const Operand& first,
                   const Operand& place, const Operand& count);

  GpuKernel& gpu_;
  const MemberPoints& points_;
  const int64_t tiles_;
  const int64_t bits_;  // of a set
  int64_t classes_ = 0;
  std::vector<size_t> first_class_;        // by partition
  std::vector<std::vector<Name>> packed_;  // by partition and value
  std::vector<Name> of_warps_;             // by word of packed counts
  std::vector<Lanes> lanes_;               // by class that is counted
  PackedCounts before_;                    // of the warps before this one
  Operand base_ = const_i64(0);
};

}  // namespace skald::imp
