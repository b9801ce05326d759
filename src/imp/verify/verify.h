// SPDX-License-Identifier: Apache-2.0
// Checks the rules stated in imp.h: names bound once and in scope, types and spaces right, nothing
// outside assigned in parallel loops, calls that fit, statements that are legal for the program's
// target (legality.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "imp/ir/imp.h"

namespace skald::imp {

// All problems, one line each.  Empty: the program is fine.
std::vector<std::string> verify(const Program& prog);
// SKALD_BUG with the first problems if there are any.
void verify_or_bug(const Program& prog, std::string_view when);

}  // namespace skald::imp
