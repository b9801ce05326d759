// SPDX-License-Identifier: Apache-2.0
// Statements of the host that become kernels.
#pragma once

#include "core/ir/program.h"

namespace skald::passes {

// What such a statement does at each point; null if it is another one.
const core::Lambda* function_of(const core::Exp& exp);

// … and for how many points.
const core::Operand& width_of(const core::Exp& exp);

// How many kernels host code has.
int kernel_count(const core::Body& body);

}  // namespace skald::passes
