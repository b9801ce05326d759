// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_set>

#include "analysis/aliases.h"
#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes::fusion {

// Reads arrays that are parts of another in a different order where they are; see rotation.cpp.
void inline_rotations(core::Body& body, core::Program& prog, analysis::Aliases& aliases,
                      PassContext& ctx);

// The arrays of the block that are such parts: they disappear if their reader is in the same block.
std::unordered_set<core::Name> rearranged_parts(const core::Body& body);

}  // namespace skald::passes::fusion
