// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/aliases.h"
#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes::fusion {

// Makes one partition of several that read the same rows and keep different ones; see
// merge_partitions.cpp.
void merge_partitions(core::Body& body, core::Program& prog, analysis::Aliases& aliases,
                      PassContext& ctx);

}  // namespace skald::passes::fusion
