// SPDX-License-Identifier: Apache-2.0
// Segments of different lengths in equal shares.  Points and ends of segments are one sequence:
//
//   lengths     3       0   2     1
//   sequence    . . . | | . . | . |        a point, or the end of a segment
//   shares      └───────┘ └───────┘
//
// Whatever the lengths are, a share is as much work as any other: one long segment is cut, and many
// empty ones are spread as well.  The end of segment s is item offsets[s + 1] + s of the sequence,
// so a share finds where it begins by a search in the offsets.
#pragma once

#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

class SegmentShares {
 public:
  explicit SegmentShares(GpuKernel& gpu) : gpu_(gpu) {}

  // In host code: how many shares.
  void plan(Code& host);
  // Where the host knows how many points there are: fewer, if groups work on so many at a time.
  void leave_none_empty(Code& host, int64_t tile_points);
  const Operand& count() const { return count_; }

  // The segments that end in a share, and its points: first … last - 1.
  struct Bounds {
    Operand segment, point, last_segment, last_point;
  };
  // All threads of the group come here together.  Begins and ends at a barrier.
  Bounds find(Code& code, Name thread, const Operand& share);

 private:
  Operand first_item(Code& code, const Operand& share);

  GpuKernel& gpu_;
  Operand items_ = const_i64(0), count_ = const_i64(1);
};

}  // namespace skald::imp
