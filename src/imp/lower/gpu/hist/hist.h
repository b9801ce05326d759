// SPDX-License-Identifier: Apache-2.0
// Histograms on devices: what the ways to make them share.  Updates of single bins are in
// update.cpp, which way is taken in plan.h.
#pragma once

#include "imp/lower/gpu/hist/plan.h"
#include "imp/lower/gpu/kernel.h"
#include "imp/lower/kernel/hist_notes.h"

namespace skald::imp {

// ---- group_bins.cpp: few bins that many points go to.  Every group of threads has bins of its own
// in its memory, several copies of them if there is room, and adds them to the destinations at the
// end.
WhyNot why_no_group_bins(GpuKernel& kernel);
void write_group_bins(GpuKernel& kernel, Code& code, const Otherwise& otherwise);
// The same for points that lie in rows whose bins are their own: groups have the bins of a row.
WhyNot why_no_row_bins(GpuKernel& kernel);
void write_row_bins(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

// ---- range_bins.cpp: a few times as many bins as fit there.  Every group counts a range of them.
WhyNot why_no_range_bins(GpuKernel& kernel);
void write_range_bins(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

// ---- sorted_bins.cpp: more bins still.  Points are sorted by ranges of bins first.
WhyNot why_no_sorted_bins(GpuKernel& kernel);
void write_sorted_bins(GpuKernel& kernel, Code& code, const Otherwise& otherwise);
// Do the histograms of a kernel count the same points in the same bins?
bool have_same_bins(const KernelWriter& kernel);
// Are values of sorted points computed again when they are counted?
bool counts_again(const KernelWriter& kernel, const std::vector<OwnBins>& hists);

// ---- looked_bins.cpp: operators that choose.  Bins lie in the device's memory, and a point looks
// at its bin before it changes it.
WhyNot why_no_looked_bins(GpuKernel& kernel);
void write_looked_bins(GpuKernel& kernel, Code& code, const Otherwise& otherwise);
// The bytes of the largest bin, if points may look at all of them first, else 0.
int64_t look_bytes(const KernelWriter& kernel);

// ---- row_sums.cpp: rows that are added to rows of the destination, by instructions.
WhyNot why_no_row_sums(GpuKernel& gpu);
void write_row_sums(GpuKernel& gpu, Code& code, const Otherwise& otherwise);
// Are points such rows, and long enough?
Operand adds_rows(Code& code, const GpuKernel& gpu);

// ---- hot_bins.cpp: keys that come in runs.  Those of neighbouring points become one update, and
// groups have places for some bins …
WhyNot why_no_run_bins(GpuKernel& gpu);
void write_run_bins(GpuKernel& gpu, Code& code, const Otherwise& otherwise);
// … or nothing of all that.  Groups have places for the bins that come often.
WhyNot why_no_hot_bins(GpuKernel& kernel);
void write_hot_bins(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

// ---- seen_keys.cpp: before a way is chosen, one group of threads looks at some thousand keys, and
// the host reads a word.
// Do ways depend on keys, and can a thread look at one without doing anything else?
bool can_see_keys(GpuKernel& gpu);
// Code that looks at keys if there are so many points that it can pay; once in the code around.
const SeenKeys& see_keys(GpuKernel& gpu, Code& host);

// ---- operators.cpp: the class of each operator, for --explain=hist.
void explain_operators(KernelWriter& kernel);

// Says that a way is taken, by which numbers, and how much memory it takes beside the destination;
// `extra` writes code for that.
void report_taken(KernelWriter& kernel, Code& code, std::string_view way,
                  std::vector<HistNumber> numbers, const std::function<Operand()>& extra);

// ---- points.cpp
// How many updates the points of a kernel are, if each does as many as the histogram with the most.
Operand update_count(const GpuKernel& gpu, Code& code);
// Are the points of a kernel just a little scalar code that cannot fail?
bool has_cheap_points(const KernelWriter& kernel);
// How many points of a kernel a thread can keep in registers, at most `wanted`; 1 if they are not
// just a little scalar code that cannot fail.
int64_t kept_points(const KernelWriter& kernel, int64_t wanted);
// Shows the places of bins in the memory of the group that some points of a share have, as many for
// each thread; shares begin at point `first`.
void sample_points(GpuKernel& gpu, Code& code, const Launch& launch, const Operand& share,
                   int64_t points, const std::function<void(Code&, const Operand& at)>& show,
                   const Operand& first = const_i64(0));
// Points `first` to `end`.
struct PointRange {
  Operand first, end;
};
// All points, in shares: number `share` of `shares` is the tiles share, share + shares … of
// neighbouring points.  What some points give is known before the first of them is stored.
void each_point_of_tiles(GpuKernel& kernel, Code& code, const Launch& launch, const Operand& share,
                         const Operand& shares, const std::optional<PointRange>& some = {});

}  // namespace skald::imp
