// SPDX-License-Identifier: Apache-2.0
// Histograms and scatters inside maps, and histograms with operators on arrays, as one kernel on a
// grid; see writes.cpp.
#pragma once

#include "core/edit/builder.h"
#include "passes/flatten/flatten.h"

namespace skald::passes {

// Is this a map around one histogram or scatter, with nothing but cheap code before it?
bool is_write_nest(const core::Soac& soac);
// Appends its kernel and true, or changes nothing.
bool write_nest_kernel(core::Builder& out, core::Stmt& stmt);

// A histogram whose operator maps over arrays.  Appends its kernel and true, or changes nothing.
bool vector_hist_kernel(core::Builder& out, core::Stmt& stmt, const Replicates& replicates);

}  // namespace skald::passes
