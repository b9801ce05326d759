// SPDX-License-Identifier: Apache-2.0
// Pieces of a share that a group works on at once: some neighbouring points, and the segments that
// end among them.
//
//   point      0 1 2 3 4 5 6 7        numbers within the tile
//   ends       3 3 7                  of its segments, in the group's memory
//   paths      0 1 2 | │ | 3 4 5 │ 6 | 7
//
// Points and ends together are cut into equal paths, one for each thread, which finds where its own
// begins by a search in the ends.
#pragma once

#include <functional>

#include "imp/lower/gpu/irregular/shares.h"

namespace skald::imp {

class RaggedTile {
 public:
  // Of so many points at most.
  RaggedTile(GpuKernel& gpu, int64_t points) : gpu_(gpu), most_points_(points) {}
  // Segments that end in one tile, at most.
  static constexpr int64_t kMostSegments = 4 * kGroupThreads;
  // Of the group's memory, besides what points need.
  static constexpr int64_t kBytes = 4 * (kMostSegments + 2) + 4 * (kGroupThreads + 2) + 16 + 8;

  // In host code, when the points are counted.
  void plan(Code& host);
  // In the code of a group: all tiles of a share, one after the other.  `body` begins and ends at a
  // barrier.
  void each(Code& code, Name thread, const SegmentShares::Bounds& share,
            const std::function<void(Code&)>& body);

  // ---- in the body; numbers within the tile have 32 bits
  // The number of points, known at once.
  const Operand& points() const { return points_; }
  // After the next barrier: threads may do something else before it.
  void find_segments(Code& code);
  const Operand& segments() const { return segments_; }
  Operand segment(Code& code, const Operand& number) const;  // among all
  Operand point(Code& code, const Operand& number) const;    // of 64 bits
  // Where a segment of the tile begins, among all points.
  Operand segment_begin(Code& code, const Operand& number) const;
  // The thread's own path, as often as one likes.
  void find_path(Code& code);
  using PointOnPath = std::function<void(Code&, const Operand& number, const Operand& segment)>;
  void walk(Code& code, const PointOnPath& at_point, const Code::LoopBody& at_end) const;

 private:
  void load_ends(Code& code);

  GpuKernel& gpu_;
  const int64_t most_points_;
  Operand window_ = const_i64(kGroupThreads);  // ends that are loaded
  Name thread_ = {}, ends_ = {}, word_ = {};
  Name first_segment_ = {}, first_point_ = {};  // variables
  Operand last_segment_ = const_i64(0), last_point_ = const_i64(0);
  Operand points_ = const_i64(0), segments_ = const_i64(0), begin_of_first_ = const_i64(0);
  // The path: its items, and where it begins.
  Operand begin_ = const_i64(0), end_ = const_i64(0), own_segment_ = const_i64(0),
          own_point_ = const_i64(0);
};

}  // namespace skald::imp
