// SPDX-License-Identifier: Apache-2.0
// Derivatives of whole programs, for those who want to know what is wrong with them.
#pragma once

#include <vector>

#include "passes/differentiate/base/problem.h"

namespace skald::passes::ad {

// Are there derivatives in the program?
bool has_derivatives(const core::Program& prog);
// Replaces derivatives by code.  Where there are problems, the program is of no use.
std::vector<Problem> differentiate(core::Program& prog);

}  // namespace skald::passes::ad
