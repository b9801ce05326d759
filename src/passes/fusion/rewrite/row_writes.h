// SPDX-License-Identifier: Apache-2.0
// A nest of maps that writes what its innermost function gives to accumulators; see row_writes.cpp.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/program.h"
#include "passes/fusion/rewrite/row_nest.h"

namespace skald::passes::fusion {

// A histogram or scatter over the flattened nest.
struct FlatWrites {
  core::Lambda fn;
  std::vector<core::Name> inputs;
  std::vector<core::AccInput> dests;
  std::vector<core::Param> pat;
  // For each input: one of the nest's values, by number, or an array of its own.
  std::vector<std::optional<size_t>> values;
};

// `before`: what must stand before the statement that comes back.
core::Stmt with_writes(core::Program& prog, core::Stmt stmt, const RowNest& nest, size_t kept,
                       std::vector<FlatWrites> writes, std::vector<core::Stmt>& before);

}  // namespace skald::passes::fusion
