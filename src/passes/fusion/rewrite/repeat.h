// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/aliases.h"
#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes::fusion {

// Gives each reader of a cheap map a map of its own; see repeat.cpp.
void repeat_cheap_maps(core::Body& body, core::Program& prog, analysis::Aliases& aliases,
                       PassContext& ctx);

}  // namespace skald::passes::fusion
