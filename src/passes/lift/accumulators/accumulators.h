// SPDX-License-Identifier: Apache-2.0
// Accumulators in a batch: all instances write to one accumulator of the host.
#pragma once

#include "passes/lift/batch/lifting.h"

namespace skald::passes::lift {

// A statement that gives accumulators.
void lift_accumulation(Lifting& lifting, Batch& b, const core::Stmt& stmt);
// False if it is not lifted.
bool lift_with_acc(Lifting& lifting, Batch& b, const core::Stmt& stmt, const core::WithAcc& node);
// A copy that lasts, with writes that can run in parallel.
const core::Body& straightened(Lifting& lifting, const core::Body& body);

}  // namespace skald::passes::lift
