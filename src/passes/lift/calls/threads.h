// SPDX-License-Identifier: Apache-2.0
// A lifted function's other version: one kernel in which a thread runs each call.
#pragma once

#include <vector>

#include "passes/lift/batch/lifting.h"

namespace skald::passes::lift {

// `results`: of the function, by names of their own.  Gives their state.
core::Body in_threads(Lifting& lifting, Batch& b, const core::Function& fn,
                      const std::vector<core::Param>& results, const std::vector<Form>& forms);

}  // namespace skald::passes::lift
