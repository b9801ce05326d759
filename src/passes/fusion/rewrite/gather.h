// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/aliases.h"
#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes::fusion {

// Puts cheap maps, or kernels that only map, in the place of the subscripts that read their
// results; see gather.cpp.
void inline_gathers(core::Body& body, core::Program& prog, analysis::Aliases& aliases,
                    PassContext& ctx);

}  // namespace skald::passes::fusion
