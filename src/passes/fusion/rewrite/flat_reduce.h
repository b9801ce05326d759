// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/program.h"
#include "passes/fusion/rewrite/reorder.h"
#include "passes/pass.h"

namespace skald::passes::fusion {

// Gives reductions over flattened arrays the shape of the nests that make these arrays; see
// flat_reduce.cpp.
void unflatten_reductions(core::Body& body, core::Program& prog, const ArrayTypes& types,
                          PassContext& ctx);

}  // namespace skald::passes::fusion
