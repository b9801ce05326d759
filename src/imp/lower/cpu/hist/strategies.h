// SPDX-License-Identifier: Apache-2.0
// Which way histograms are made:
//
//   rows with bins of their own                each row by one task, in order
//   the bins fit the caches, points are many   chunks of points fill copies of their own, which are
//                                              combined bin by bin in order (copies.cpp)
//   otherwise                                  points are sorted by ranges of bins that fit, and
//                                              each range is done in order (sorted.cpp)
//   what cannot be sorted                      atomic updates from all threads, if the operator is
//                                              exact; else in order
//
// Several histograms of one kernel are done together as long as all their bins fit; otherwise one
// after the other, each by its own choice, and what they share is computed again.
#pragma once

#include <span>

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

std::span<const Strategy> hist_strategies();
// The ways to make histograms that all threads work on.
void add_hist_names(std::vector<StrategyName>& names);

// True if the kernel is a histogram and nothing else, in which each row has bins of its own in
// `dest`, and fills them itself (FunctionLowering::late_fill).
bool fills_own_rows(const KernelWriter& kernel, Name dest);

}  // namespace skald::imp
