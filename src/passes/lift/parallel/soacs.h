// SPDX-License-Identifier: Apache-2.0
// Ways to lift a SOAC, in the order they are tried (soacs.cpp).
#pragma once

#include <functional>
#include <vector>

#include "passes/lift/batch/point.h"

namespace skald::passes::lift {

// Operators on arrays become operators on scalars, column by column.
bool lift_operators(Lifting& lifting, Batch& b, const core::Stmt& stmt, const core::Soac& soac);
// A map of a map whose rows have one length for each instance.
bool lift_inner_rows(Lifting& lifting, Batch& b, const core::Stmt& stmt, const core::Soac& soac);

// The kernel of a SOAC: `make` gives the values at a point, before they are combined.
using SoacPoint = std::function<std::vector<core::Operand>(Point&, std::vector<core::Ret>&)>;
void finish_soac(Lifting& lifting, Batch& b, const core::Stmt& stmt, const core::Soac& soac,
                 const Space& space, const SoacPoint& make);

}  // namespace skald::passes::lift
