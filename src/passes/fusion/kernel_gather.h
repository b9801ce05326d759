// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/aliases.h"
#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes::fusion {

// Puts kernels that only map in the place of the subscripts that read their results; see
// kernel_gather.cpp.
void inline_kernel_gathers(core::Body& body, core::Program& prog, analysis::Aliases& aliases,
                           PassContext& ctx);

}  // namespace skald::passes::fusion
