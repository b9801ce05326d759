// SPDX-License-Identifier: Apache-2.0
// The points of a tile, by threads in turn, so that neighbours read neighbours.  A thunk that asks
// for the segment gets it from the group's memory, where the threads have left it on their paths.
#pragma once

#include "imp/lower/gpu/irregular/ragged_tile.h"
#include "imp/lower/gpu/irregular/thunk_in_steps.h"

namespace skald::imp {

class RaggedPoints {
 public:
  RaggedPoints(GpuKernel& gpu, RaggedTile& tile);

  // Does the thunk ask in which segment a point lies, or where in it?
  bool needs_segments() const { return needs_segments_; }
  // Of the group's memory, for each point.
  static int64_t bytes(const GpuKernel& gpu);

  // For tiles of so many points, each thread has as many of a whole one.
  void make_room(Code& code, int64_t points);
  // Runs the thunk at all points of the tile, whose segments and paths have been found if they are
  // needed.  `absent` runs before a point that may not be there.
  using Then = std::function<void(Code&, const Operand& number, const GpuPoint&,
                                  const std::vector<Operand>& values)>;
  void each(Code& code, Name thread, const Then& then,
            const std::function<void(Code&, const Operand& number)>& absent = {});

 private:
  // Point k of a batch, and code for those of them that there are.
  using NumberOf = std::function<Operand(Code&, const Operand& k)>;
  using Guard =
      std::function<void(Code&, const Operand& k, const std::function<void(Code&)>& body)>;

  void note_segments(Code& code);
  GpuPoint point_at(Code& code, const Operand& number) const;
  void one(Code& code, const Operand& number, const Then& then);
  void whole_tile(Code& code, Name thread, Name position, const Then& then);
  void part_of_tile(Code& code, Name thread, Name position, const Then& then);
  void batch(Code& code, int64_t count, Name position, const NumberOf& number, const Guard& guard,
             const Then& then);

  GpuKernel& gpu_;
  RaggedTile& tile_;
  const bool needs_segments_;
  const ThunkInSteps thunk_;
  int64_t points_ = 0;
  Name segment_of_ = {};
};

}  // namespace skald::imp
