// SPDX-License-Identifier: Apache-2.0
// Kernels for devices: which table of strategies a kernel has.
//
// Points are in gpu, reductions, scans and partitions in gpu/fold, what points share in gpu/nest.
// Failures: every thread runs its points inside an `attempt` whose position is the number of the
// point.
#pragma once

#include <string>
#include <vector>

#include "imp/lower/gpu/target.h"
#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

// All strategies, table by table.
std::vector<StrategyName> strategies_for_devices();

}  // namespace skald::imp
