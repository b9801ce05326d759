// SPDX-License-Identifier: Apache-2.0
// Axes of writes and views.
#pragma once

#include "frontend/lazy/plan.h"

namespace skald::lazy {

// The axis at one position of which an assignment writes, if that is a number of the plan; or -1.
int fixed_axis(const PlanNode& node);
// The axis of the view that runs along all of an axis of its source; -1: there is none.
int along_axis(const PlanInput& input, int axis);

}  // namespace skald::lazy
