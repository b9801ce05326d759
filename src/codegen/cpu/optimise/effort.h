// SPDX-License-Identifier: Apache-2.0
// Where compile time pays: code that runs only a few times in a call is not worth optimising.
#pragma once

#include <string>
#include <unordered_set>

#include "imp/ir/imp.h"

namespace skald::cpu {

// The functions that take next to no time in a call of an entry point, however badly they are
// compiled: host code and constants, outside of loops or in loops that are known to be short.
// Parallel parts inside them are compiled as functions of their own and do not count.
std::unordered_set<std::string> functions_run_rarely(const imp::Program& prog);

// The functions whose own code takes little time beside the parallel parts in it: no loop outside
// of these parts runs long without coming to one of them.  Functions that parallel parts or long
// loops call are not among them.
std::unordered_set<std::string> light_functions(const imp::Program& prog);

}  // namespace skald::cpu
