// SPDX-License-Identifier: Apache-2.0
// Kernels over irregular segments.
//
// Maps and histograms are cut by elements, wherever the segments end: one long segment is shared,
// many short ones cost no more than their elements.  A range finds its first segment by bisection
// and walks on from there.  Reductions and scans take whole segments, those that begin in the
// range; long segments come afterwards, each by all threads.
#pragma once

#include <span>

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

// Histograms over segments: cpu/hist.
std::span<const Strategy> segment_scan_strategies();
std::span<const Strategy> segment_reduce_strategies();
std::span<const Strategy> segment_map_strategies();

}  // namespace skald::imp
