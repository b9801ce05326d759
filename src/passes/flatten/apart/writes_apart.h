// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes {

// Maps that compute values and write to accumulators in maps and loops inside become maps that
// compute, and nests that do nothing but write; see writes_apart.cpp.
void take_writes_apart(core::Body& body, core::Program& prog, PassContext& ctx);

}  // namespace skald::passes
