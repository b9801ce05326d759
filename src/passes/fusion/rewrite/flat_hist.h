// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/aliases.h"
#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes::fusion {

// Histograms, and scatters of short rows, over flattened arrays that a nest of maps in the same
// block makes become writes of that nest; see flat_hist.cpp.  For blocks of the host.
void unflatten_histograms(core::Body& body, core::Program& prog, analysis::Aliases& aliases,
                          PassContext& ctx);

}  // namespace skald::passes::fusion
