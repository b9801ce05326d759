// SPDX-License-Identifier: Apache-2.0
// The functions of all passes; each is documented at the head of the file named after it.
#pragma once

#include "imp/ir/imp.h"
#include "imp/passes/pass.h"

namespace skald::imp {

Program remove_unread(Program prog, PassContext& ctx);          // unread.cpp
Program find_whole_indices(Program prog, PassContext& ctx);     // whole_indices.cpp
Program narrow_loops(Program prog, PassContext& ctx);           // narrow/narrow.cpp
Program narrow_counts(Program prog, PassContext& ctx);          // narrow/counts.cpp
Program pair_rows(Program prog, PassContext& ctx);              // pairs/pairs.cpp
Program remove_implied_checks(Program prog, PassContext& ctx);  // implied_checks.cpp
Program fuse_loops(Program prog, PassContext& ctx);             // fuse/fuse.cpp
Program mark_forks(Program prog, PassContext& ctx);             // forks.cpp
Program vectorise(Program prog, PassContext& ctx);              // vectorise/vectorise.cpp
Program mark_polls(Program prog, PassContext& ctx);             // polls.cpp

Program move_loops(Program prog, PassContext& ctx);         // device_loops.cpp
Program keep_scalars(Program prog, PassContext& ctx);       // device_scalars.cpp
Program hoist_operators(Program prog, PassContext& ctx);    // hoist.cpp
Program contract_products(Program prog, PassContext& ctx);  // contract.cpp
Program carry_values(Program prog, PassContext& ctx);       // carried.cpp
Program find_quotients(Program prog, PassContext& ctx);     // quotients.cpp

}  // namespace skald::imp
