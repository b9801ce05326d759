// SPDX-License-Identifier: Apache-2.0
// Core, stage MEMORY → imp: scalars become `let`s and variables, arrays become loads and stores
// through their index functions, kernels become parallel loops or launches.  README.md says where
// to start.  The passes of imp follow (imp/pipeline.h).
#pragma once

#include <string>
#include <vector>

#include "core/ir/program.h"
#include "imp/ir/imp.h"
#include "imp/lower/common/options.h"
#include "support/result.h"

namespace skald::imp {

// `prog` is at stage MEMORY.
Program lower(const core::Program& prog, const LowerOptions& options = {});

// The same for a device.  Fails if the arrays of entry points are not there.
Result<Program> lower_for_device(const core::Program& prog, const LowerOptions& options = {});

// The strategies that kernels are lowered by (kernel/strategy.h), for cores and for devices.
struct StrategyOption {
  std::string name;
  bool can_be_disabled;
};
std::vector<StrategyOption> lowering_strategies();

}  // namespace skald::imp
