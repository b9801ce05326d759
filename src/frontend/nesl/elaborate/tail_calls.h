// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/program.h"

namespace skald::nesl {

// A function that ends by calling itself, as a loop; see tail_calls.cpp.
void tail_calls_to_loop(core::Program& program, core::Function& function);

}  // namespace skald::nesl
