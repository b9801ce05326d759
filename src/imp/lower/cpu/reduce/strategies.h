// SPDX-License-Identifier: Apache-2.0
// Reductions.
//
// Flat   fixed chunks in parallel, each with its own accumulators; then the chunks' values in
// order.
//        The association depends on the length only, so results are the same on every machine.
// Grid   one segment per iteration of a parallel loop, or neighbouring segments as lanes; few long
//        segments are cut into chunks instead.
//
// Inside a chunk or segment: range.cpp.
#pragma once

#include <span>

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

std::span<const Strategy> flat_reduce_strategies();
std::span<const Strategy> grid_reduce_strategies();

}  // namespace skald::imp
