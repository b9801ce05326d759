// SPDX-License-Identifier: Apache-2.0
// Scans of rows of one length that is known, whose points have many values: they stay in registers.
//
//   a row     thread 0: points 0 1 2 3, thread 1: 4 5 6 7, …   by as many threads as it takes, a
//                                                              power of two, at most a group
//   a group   as many rows as its threads have
//
// Each thread combines its points, a scan over the threads of the row says what comes before, and
// then it goes over its points again.  Results are stored and scattered from there.
#pragma once

#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

WhyNot why_no_row_lanes(GpuKernel& kernel);
void write_row_lanes(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

}  // namespace skald::imp
