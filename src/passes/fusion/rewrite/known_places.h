// SPDX-License-Identifier: Apache-2.0
// Scatters whose places are known.
#pragma once

#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes::fusion {

// True if something changed.
bool simplify_scatters(core::Body& body, core::Program& prog, PassContext& ctx);

}  // namespace skald::passes::fusion
