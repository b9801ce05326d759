// SPDX-License-Identifier: Apache-2.0
// Branches and loops around parallel code, for a batch.
#pragma once

#include <vector>

#include "passes/lift/batch/lifting.h"

namespace skald::passes::lift {

void lift_if(Lifting& lifting, Batch& b, const core::Stmt& stmt, const core::If& node);
void lift_loop(Lifting& lifting, Batch& b, const core::Stmt& stmt, const core::Loop& loop);

// The checks that a branch or loop waits for are run for every instance before it.  What it needs
// first, one of `needed`, is stored behind them.
bool check_before(Lifting& lifting, Batch& b, const core::Stmt& stmt,
                  const std::vector<core::Operand>& needed);

}  // namespace skald::passes::lift
