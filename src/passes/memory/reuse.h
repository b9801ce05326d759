// SPDX-License-Identifier: Apache-2.0
// Blocks that are dead serve later allocations.
#pragma once

#include "analysis/blocks.h"
#include "analysis/scalar_values.h"
#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes {

// Replaces allocations of `body` by earlier blocks of the body that are not used any more and are
// large enough, or by those of `params` that the body may consume.  Inner bodies are not entered.
void reuse_blocks(core::Body& body, const std::vector<core::Param>& params,
                  const analysis::BlockOf& block_of, const analysis::ScalarValues& values,
                  PassContext& ctx);

}  // namespace skald::passes
