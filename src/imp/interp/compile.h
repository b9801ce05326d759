// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/tuning/tuning.h"
#include "imp/interp/code.h"

namespace skald::imp::interp {

// The code of all functions, in the order of the program.
std::vector<FunctionCode> compile(const Program& prog, const core::Tuning& tuning);

}  // namespace skald::imp::interp
