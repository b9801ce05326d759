// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes {

// Hands what post-bodies of scans need from the functions around them through the scans' functions;
// see close_posts.cpp.
void close_posts(core::Body& body, core::Program& prog, PassContext& ctx);

}  // namespace skald::passes
