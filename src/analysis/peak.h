// SPDX-License-Identifier: Apache-2.0
// How much memory an entry point needs, as a formula, and where it allocates.
#pragma once

#include <string>

#include "core/ir/program.h"

namespace skald::analysis {

struct MemoryUse {
  // Bytes of all blocks that are alive at once, besides the arguments: "8·n + 4·m·n", or
  // "max(8·n, 4·m)" where neither is always the larger.
  std::string peak;
  int allocations = 0;  // in host code
  int in_loops = 0;     // of these, inside loops
  int in_kernels = 0;
};

// For a function of a program at stage MEMORY, after free-memory.  What kernels need for
// themselves (scratch memory, partial results) is not counted; recursive calls count as nothing.
MemoryUse memory_use(const core::Program& prog, const core::Function& fn);

}  // namespace skald::analysis
