// SPDX-License-Identifier: Apache-2.0
// Histograms on devices: what the ways to make them share.  Updates of single bins are in
// update.cpp, which way is taken in plan.h.
#pragma once

#include "imp/lower/gpu/hist/plan.h"
#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

// ---- group_bins.cpp: few bins that many points go to.  Every group of threads has bins of its own
// in its memory, several copies of them if there is room, and adds them to the destinations at the
// end.
WhyNot why_no_group_bins(GpuKernel& kernel);
void write_group_bins(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

// ---- range_bins.cpp: a few times as many bins as fit there.  Every group counts a range of them.
WhyNot why_no_range_bins(GpuKernel& kernel);
void write_range_bins(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

// ---- sorted_bins.cpp: more bins still.  Points are sorted by ranges of bins first.
WhyNot why_no_sorted_bins(GpuKernel& kernel);
void write_sorted_bins(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

// ---- hot_bins.cpp: nothing of that.  Groups have places for the bins that come often.
WhyNot why_no_hot_bins(GpuKernel& kernel);
void write_hot_bins(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

// ---- operators.cpp: the class of each operator, for --explain=hist.
void explain_operators(KernelWriter& kernel);

// ---- points.cpp
// Are the points of a kernel just a little scalar code that cannot fail?
bool has_cheap_points(const KernelWriter& kernel);
// How many points of a kernel a thread can keep in registers, at most `wanted`; 1 if they are not
// just a little scalar code that cannot fail.
int64_t kept_points(const KernelWriter& kernel, int64_t wanted);
// All points, in shares: number `share` of `shares` is the tiles share, share + shares … of
// neighbouring points.  What some points give is known before the first of them is stored.
void each_point_of_tiles(GpuKernel& kernel, Code& code, const Launch& launch, const Operand& share,
                         const Operand& shares);

}  // namespace skald::imp
