// SPDX-License-Identifier: Apache-2.0
// The functions of all passes; each is documented at the head of the file named after it.
#pragma once

#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes {

core::Program differentiate(core::Program prog,
                            PassContext& ctx);  // differentiate/differentiate.cpp
core::Program inline_functions(core::Program prog, PassContext& ctx);  // inline.cpp
core::Program simplify(core::Program prog, PassContext& ctx);          // simplify/engine.cpp
// The same for one function of a program.
void simplify_function(core::Function& fn, core::Program& prog, PassContext& ctx);
core::Program remove_dead_code(core::Program prog, PassContext& ctx);  // dead_code.cpp
core::Program scalarise_operators(core::Program prog,
                                  PassContext& ctx);                   // scalarise/scalarise.cpp
core::Program early_products(core::Program prog, PassContext& ctx);    // early/early_products.cpp
core::Program put_first_rounds(core::Program prog, PassContext& ctx);  // first_rounds.cpp
core::Program fuse_soacs(core::Program prog, PassContext& ctx);        // fusion/fusion.cpp
core::Program fuse_kernels(core::Program prog, PassContext& ctx);      // fusion/fusion.cpp
core::Program sum_writes(core::Program prog,
                         PassContext& ctx);  // differentiate/sums/sum_writes.cpp
core::Program flatten_nests(core::Program prog, PassContext& ctx);    // flatten/flatten.cpp
core::Program extract_kernels(core::Program prog, PassContext& ctx);  // extract/extract.cpp
core::Program join_rows(core::Program prog, PassContext& ctx);        // extract/running_offsets.cpp
core::Program keep_totals(core::Program prog, PassContext& ctx);      // totals/keep_totals.cpp
core::Program split_operators(core::Program prog,
                              PassContext& ctx);  // operators/split_operators.cpp
core::Program transpose_reads(core::Program prog, PassContext& ctx);  // order/transpose_reads.cpp
core::Program place_arrays(core::Program prog, PassContext& ctx);     // place/place.cpp
core::Program share_windows(core::Program prog, PassContext& ctx);    // memory/share_windows.cpp
core::Program plan_memory(core::Program prog, PassContext& ctx);      // memory/plan.cpp
core::Program hoist_memory(core::Program prog, PassContext& ctx);     // memory/buffers.cpp
core::Program free_memory(core::Program prog, PassContext& ctx);      // memory/frees.cpp

}  // namespace skald::passes
