// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/aliases.h"
#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes::fusion {

// Reads arrays that are parts of another in a different order where they are; see rotation.cpp.
void inline_rotations(core::Body& body, core::Program& prog, analysis::Aliases& aliases,
                      PassContext& ctx);

}  // namespace skald::passes::fusion
