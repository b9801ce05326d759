// SPDX-License-Identifier: Apache-2.0
// Reductions in one launch.  Some threads of a group take a segment together, its lanes; a group
// has room for several short segments, and a long one is cut into parts for several groups:
//
//   lanes     the points of a segment, one after the other or in turn
//   group     the lanes of a segment, by a tree in the memory of the group
//   parts     left in the device's memory; the group that comes last combines them
//
// Neighbouring lanes read neighbouring points, or, where the elements of neighbouring segments lie
// side by side, neighbouring threads are lanes of neighbouring segments.  How many there are of
// each depends on sizes only, so results do not depend on the device.
#pragma once

#include "imp/lower/gpu/fold/monoids.h"

namespace skald::imp {

WhyNot why_not_rows(GpuKernel& kernel);
void write_rows(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

}  // namespace skald::imp
