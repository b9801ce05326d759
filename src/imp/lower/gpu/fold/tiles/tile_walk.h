// SPDX-License-Identifier: Apache-2.0
// Which points a thread of a tile has, and where in the grid they are.  A warp has neighbouring
// points, and those of the warps before it come before them.
//
//   in turn   lane l has the points l, l + 32, …: neighbours read neighbours
//   in rows   each thread has a row of neighbouring points
#pragma once

#include <functional>

#include "imp/lower/gpu/fold/tiles/segment_tile.h"
#include "imp/lower/gpu/tile_points.h"

namespace skald::imp {

class TileWalk {
 public:
  using Body = std::function<void(Code&, const Operand& k, const Operand& offset)>;

  // Tiles of `row` points for each thread.  `flat`: all arrays lie as the points do.
  TileWalk(GpuKernel& gpu, int64_t row, bool flat)
      : gpu_(gpu), row_(row), flat_(flat), lengths_(gpu, row) {}

  // In host code.
  void plan(Code& host);
  // In the code of a group: the tile begins at this point, which is the first one of segment
  // `segment` if that is known, and has so many points.
  void begin(Code& code, Name thread, const Operand& first, const Operand& count,
             const Operand* segment);
  const Operand& first() const { return first_; }
  const Operand& count() const { return count_; }
  int64_t points() const { return row_ * kGroupThreads; }
  SegmentTile& lengths() { return lengths_; }

  // The points from … to-1 of this thread that are there, after a call of `start` for the first
  // ones; `absent` runs for the others.  With `unrolled`, the number k of a point may be the index
  // of a private array.
  using PointBody =
      std::function<void(Code&, const Operand& k, const GpuPoint&, const Operand& offset)>;
  void start(Code& code);
  void each(Code& code, bool unrolled, int64_t from, int64_t to, const PointBody& body,
            const Body& absent = {});
  // The same without their place in the grid, written out.
  void each_offset(Code& code, int64_t from, int64_t to, const Body& body, const Body& absent);
  // The same of a row.
  void each_of_row(Code& code, bool unrolled, const Body& body);
  // If segments have one length: how many points from the first one of the row on are left of its
  // segment, 0 if a segment begins there; in 32 bits, more than a tile has if it goes on after it.
  Operand left_of_segment(Code& code);
  static Operand narrow_length(Code& code, const Operand& length);
  // Of the point k of this thread.
  Operand offset(Code& code, const Operand& k);

 private:
  bool moves_in_grid() const {
    return !gpu_.is_seg() && !flat_ && gpu_.kernel.facts.dims.size() > 1;
  }
  Operand left_from(Code& code, const Operand& offset) const;
  static Operand is_within(Code& code, const Operand& distance, const Operand& left);
  GpuPoint point(Code& code, const Operand& offset);
  void advance_in_grid(Code& code);

  GpuKernel& gpu_;
  const int64_t row_;
  const bool flat_;
  SegmentTile lengths_;                    // of segments with different ones
  std::vector<Operand> step_digits_ = {};  // of the step, in the grid
  Name thread_ = {};
  Operand first_ = const_i64(0), count_ = const_i64(0), own_ = const_i64(0);
  std::vector<Operand> tile_indices_ = {};  // of the tile's first point
  std::vector<Name> indices_ = {};          // of the thread's point
};

}  // namespace skald::imp
