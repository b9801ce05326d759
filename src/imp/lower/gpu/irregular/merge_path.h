// SPDX-License-Identifier: Apache-2.0
// Reductions of segments that have different lengths, in one launch:
//
//   shares    of points and ends of segments, all alike (shares.h), one for each group
//   tiles     of a share, one after the other (ragged_tile.h): threads compute the points in turn,
//             and leave what they give in the group's memory
//   paths     of a tile, all alike, one for each thread, which combines what lies between ends; a
//             scan over the threads says what comes before the first end of each path
//   shares    what comes before the first end of each is put together by the group that is last
//
// Results of segments that lie in one share are stored by the thread that finds their end.  Nothing
// is stored for points.
#pragma once

#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

WhyNot why_no_merge_path(GpuKernel& kernel);
void write_merge_path(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

}  // namespace skald::imp
