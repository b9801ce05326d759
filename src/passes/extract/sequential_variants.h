// SPDX-License-Identifier: Apache-2.0
// Functions that kernels call: variants of them without anything parallel.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/program.h"

namespace skald::passes {

// Functions that work on scalars alone, together with all they call: one version serves everywhere.
std::unordered_set<std::string> scalar_functions(const core::Program& prog);

// Makes the sequential variants of all functions that some sequential code calls; functions in
// `shared` serve as they are.
void add_sequential_variants(core::Program& prog,
                             std::unordered_map<std::string, core::Function> originals,
                             const std::unordered_set<std::string>& shared);

}  // namespace skald::passes
