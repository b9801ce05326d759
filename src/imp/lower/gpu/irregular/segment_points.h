// SPDX-License-Identifier: Apache-2.0
// Points of segments that have different lengths, which only store something: in equal shares,
// whose tiles know the segments of their points (ragged_points.h).  A thread for each point would
// search all offsets for its segment.
#pragma once

#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

WhyNot why_no_segment_points(GpuKernel& kernel);
void write_segment_points(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

}  // namespace skald::imp
