// SPDX-License-Identifier: Apache-2.0
// Checks that a program is well formed: names bound once and in scope, nodes legal at the program's
// stage, types right, tokens and consumption in order.
#pragma once

#include <string>
#include <vector>

#include "core/program.h"

namespace skald::core {

// All problems, each one line with the function and statement it is in.  Empty: the program is
// fine.
std::vector<std::string> verify(const Program& prog);

// SKALD_BUG with the first problems if there are any; `when` says after which pass.
void verify_or_bug(const Program& prog, std::string_view when);

}  // namespace skald::core
