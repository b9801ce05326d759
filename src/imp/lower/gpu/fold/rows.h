// SPDX-License-Identifier: Apache-2.0
// Reductions in one launch, in one of these forms:
//
//   single    a thread has whole segments, several at once if they are tiny
//   lanes     some threads of a warp take a segment together, its lanes: the points in turn; the
//             lanes are combined by shuffles
//   parts     all threads of a group are lanes, and several groups take a segment together; what
//             they have is left in the device's memory, and the group that comes last combines it
//
// Where the elements of neighbouring segments lie side by side, neighbouring threads are lanes of
// neighbouring segments, or of some each, and lanes are combined in the memory of the group.  Lanes
// of parts, and of narrow elements, load several points at once (wide_loads.h).  How many there are
// of each depends on sizes only, so results do not depend on the device.
#pragma once

#include "imp/lower/gpu/fold/monoids.h"

namespace skald::imp {

WhyNot why_not_rows(GpuKernel& kernel);
void write_rows(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

}  // namespace skald::imp
