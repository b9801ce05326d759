// SPDX-License-Identifier: Apache-2.0
// Copies that loops need not make in every round.
#pragma once

#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes {

// Before places are given; afterwards consumption need not be legal any more.
void remove_needless_copies(core::Program& prog, core::Function& fn, PassContext& ctx);

}  // namespace skald::passes
