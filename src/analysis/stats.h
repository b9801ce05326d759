// SPDX-License-Identifier: Apache-2.0
// What a program at stage KERNELS (or later) moves: kernels, launches in loops, bytes, arrays.
#pragma once

#include <string>

#include "core/ir/program.h"

namespace skald::analysis {

// One paragraph per entry point:
//
//   entry main: 2 kernels, 0 in loops
//     reads 16·n bytes, writes 16·n bytes
//     0 intermediate arrays
//     peak 8·n bytes besides the arguments; 1 allocations, 0 in loops, 0 in kernels
//
// Bytes are a formula in the sizes.  An array that a kernel reads counts once, however often its
// elements are read; a branch counts as its costlier side, but a choice between versions as the one
// with fewer kernels; a loop counts as one iteration, a recursive call as nothing.  The last line
// only at stage MEMORY; see analysis/peak.h.
std::string kernel_stats(const core::Program& prog);

}  // namespace skald::analysis
