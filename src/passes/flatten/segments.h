// SPDX-License-Identifier: Apache-2.0
// Irregular nests as kernels over segments; see segments.cpp.  Used by extract-kernels.
#pragma once

#include <optional>

#include "core/edit/builder.h"
#include "core/ir/program.h"

namespace skald::passes {

// flatmap(n, …) whose rows are results of one map; appends its kernels and true, or changes
// nothing.
bool flatmap_kernels(core::Builder& out, core::Stmt& stmt);

// map(n, …) around one SOAC whose width differs between iterations: the host code that computes it
// with kernels over segments, or nothing.  Its results are those of the map.
std::optional<core::Body> segmented_version(core::Program& prog, const core::Stmt& stmt);

}  // namespace skald::passes
