// SPDX-License-Identifier: Apache-2.0
// What lies below core: imp, LLVM IR and assembly.
#pragma once

#include <string>

#include "core/program.h"
#include "support/result.h"

namespace skald::driver {

// `prog` is at stage MEMORY.  `emit` is "" (imp), "ll" or "asm"; the latter two need the cpu back
// end.
Result<std::string> dump_below_core(const core::Program& prog, const std::string& emit);

}  // namespace skald::driver
