// SPDX-License-Identifier: Apache-2.0
// Inclusive scans.
//
// Flat   chunks that fit into a cache (chunks.cpp).
// Grid   few long segments one after another, each by all threads; of many short ones neighbours
//        are scanned side by side, several in one register, or each in vectors.  If neighbouring
//        segments are neighbours in memory, they are the lanes of vectors.
#pragma once

#include <span>

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

std::span<const Strategy> flat_scan_strategies();
std::span<const Strategy> grid_scan_strategies();
// Says which way points are scanned (kernel/scan_facts.h).
void explain_scan_way(KernelWriter& kernel);

}  // namespace skald::imp
