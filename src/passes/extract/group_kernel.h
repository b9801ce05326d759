// SPDX-License-Identifier: Apache-2.0
// Maps of which each iteration is a group of threads.
#pragma once

#include "core/ir/program.h"
#include "passes/flatten/flatten.h"

namespace skald::passes {

// One group of threads for each iteration: the SOACs inside become kernels inside the kernel.
core::Stmt group_kernel(core::Program& prog, Replicates& replicates, core::Stmt stmt);

}  // namespace skald::passes
