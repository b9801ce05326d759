// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/tuning/tuning.h"
#include "imp/ir/imp.h"

namespace skald::imp {

// `params`, and the parameters that lowering has added to the program; each once, sorted by name.
std::vector<core::TuningParam> with_tunables(std::vector<core::TuningParam> params,
                                             const Program& prog);

}  // namespace skald::imp
