// SPDX-License-Identifier: Apache-2.0
// What cannot be differentiated, and where.
#pragma once

#include <string>
#include <vector>

#include "core/ir/program.h"

namespace skald::passes::ad {

struct Problem {
  core::Loc loc = {};
  std::string what = {};  // a sentence without its full stop
};

// Are there derivatives in the program?
bool has_derivatives(const core::Program& prog);
// Replaces derivatives by code.  Where there are problems, the program is of no use.
std::vector<Problem> differentiate(core::Program& prog);

}  // namespace skald::passes::ad
