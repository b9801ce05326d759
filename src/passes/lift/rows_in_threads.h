// SPDX-License-Identifier: Apache-2.0
// A flatmap whose rows are computed by one thread each.
#pragma once

#include <optional>

#include "core/edit/builder.h"
#include "core/ir/program.h"

namespace skald::passes {

struct RowsInThreads {
  core::Operand longest, total;  // of the lengths; computed before
  core::Body body;               // gives the results of the flatmap
};

// Appends the kernel that finds the lengths to `before`.  Nothing if finding one takes more than a
// few scalar operations.
std::optional<RowsInThreads> rows_in_threads(core::Builder& before, const core::Stmt& stmt);

}  // namespace skald::passes
