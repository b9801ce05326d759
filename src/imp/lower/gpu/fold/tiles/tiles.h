// SPDX-License-Identifier: Apache-2.0
// Scans and partitions in one launch: a group takes a tile of neighbouring points.
//
//   in turn   thread t computes the points t, t + 256, …, so that neighbours read neighbours, and
//             leaves their values in the group's memory
//   in rows   each thread goes over its own row of neighbouring points, and finds what they have
//             together; a scan over the threads, and what the tiles before this one have
//             (look_back.h), say what comes before each row; then it goes over them again
//   in turn   scanned values and members are stored, by neighbours side by side
//
// Where segments are short a tile has whole ones, and needs nothing of the others.
#pragma once

#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

WhyNot why_not_tiles(GpuKernel& kernel);
void write_tiles(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

}  // namespace skald::imp
