// SPDX-License-Identifier: Apache-2.0
// Kernels for devices: which table of strategies a kernel has.
//
// The skeletons are plain: a thread walks through one point or one chunk of points; what the chunks
// have in common is computed by one group.  Failures: every thread runs its points inside an
// `attempt` whose position is the number of the point.
#pragma once

#include <string>
#include <vector>

#include "imp/lower/gpu/target.h"
#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

// All strategies, table by table.
std::vector<StrategyName> strategies_for_devices();

}  // namespace skald::imp
