// SPDX-License-Identifier: Apache-2.0
// A tile of points of segments that have different lengths: which segment each point lies in.
//
//   offsets    0     3     3           9        where segments begin; the second one is empty
//   points     0 1 2 3 4 5 6 7 8 │ 9 …
//   deltas     0 0 0 2 2 2 2 2 2 │               segment of the point, less that of the first one
//
// The threads mark where segments begin, and a scan of the greatest mark so far does the rest.
#pragma once

#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

class SegmentTile {
 public:
  // For tiles of kGroupThreads rows.
  SegmentTile(GpuKernel& gpu, int64_t row) : gpu_(gpu), row_(row) {}
  // Bytes of the group's memory for one point.
  static constexpr int64_t kBytes = 4;

  // Of the points begin … begin+count-1; all threads come here together.
  void find(Code& code, Name thread, const Operand& begin, const Operand& count);
  GpuPoint point(Code& code, const Operand& offset) const;
  // Does a segment begin with this point, or end with it?
  Operand begins(Code& code, const Operand& offset) const;
  Operand ends(Code& code, const GpuPoint& point) const;

 private:
  Operand delta(Code& code, const Operand& offset) const;
  void mark(Code& code, Name thread, const Operand& end) const;
  void spread(Code& code, Name thread) const;
  static Operand greatest_before(Code& code, Name thread, Name own);

  GpuKernel& gpu_;
  const int64_t row_;
  Operand begin_ = const_i64(0), first_ = const_i64(0);
  Name deltas_ = {};
};

}  // namespace skald::imp
