// SPDX-License-Identifier: Apache-2.0
// One SOAC as one kernel.
#pragma once

#include "core/ir/program.h"

namespace skald::passes {

// Can this SOAC become a kernel?
bool is_kernel_shaped(const core::Stmt& stmt);

// A parallel map whose iterations write to accumulators.
bool is_accumulating_map(const core::Stmt& stmt);

// The kernel of a statement that is_kernel_shaped.
core::Stmt kernel_of(core::Program& prog, core::Stmt stmt);

// The kernel of `depth` nested maps, the innermost of which writes to accumulators.  Its sinks get
// their operators when accumulators become arrays.
core::Stmt accumulating_kernel(core::Program& prog, core::Stmt stmt, size_t depth);

}  // namespace skald::passes
