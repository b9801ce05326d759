// SPDX-License-Identifier: Apache-2.0
// Derivatives of whole programs, for those who want to know what is wrong with them.
#pragma once

#include <vector>

#include "passes/differentiate/base/problem.h"

namespace skald::passes::ad {

// Are there derivatives in the program?
bool has_derivatives(const core::Program& prog);
// Where derivatives are asked for by values none of which is a float.
std::vector<core::Loc> derivatives_by_integers(const core::Program& prog);
// Replaces derivatives by code.  Where there are problems, the program is of no use.
// `tape_memory`: bytes that the tapes of a loop may take; 0: any number.
std::vector<Problem> differentiate(core::Program& prog, int64_t tape_memory = 0);

}  // namespace skald::passes::ad
