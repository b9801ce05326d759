// SPDX-License-Identifier: Apache-2.0
// Maps that compute values and write them to accumulators, as two maps.
#pragma once

#include <optional>

#include "core/ir/program.h"

namespace skald::passes {

// A map that computes what `map`, a map with accumulators, writes and gives; `map` only writes
// afterwards.  Nothing, and `map` unchanged, if the values cost less than keeping them, or cannot
// run in lanes.
std::optional<core::Stmt> compute_values_first(core::Stmt& map, core::Program& prog);

}  // namespace skald::passes
