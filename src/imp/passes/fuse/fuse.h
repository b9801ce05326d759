// SPDX-License-Identifier: Apache-2.0
// Steps of the pass `fuse-loops`.
//
// accesses.h   which loops may be fused
// fuse.cpp     fuses them
// forward.cpp  values go from stores to loads; stores that nobody needs
#pragma once

#include <unordered_set>

#include "imp/analysis/facts.h"
#include "imp/ir/imp.h"
#include "imp/passes/pass.h"

namespace skald::imp {

// For variables that are assigned before they are read.
Const zero_of(Prim type);

// Loads from `blocks`, which only this loop's lane knows, in the loop that is statement `at` of the
// body become values that are stored there, in the same iteration or the one before.  What has to
// be carried from iteration to iteration is declared before the loop.
void forward_stores(Program& prog, const Facts& facts, const std::unordered_set<Name>& blocks,
                    Body& body, size_t at, PassContext& ctx);
// Removes stores of that loop whose elements are all overwritten before anything is read: by a
// later store in the same iteration, or by a later loop.
void remove_overwritten(const Facts& facts, const std::unordered_set<Name>& blocks, Body& body,
                        size_t at, PassContext& ctx);

}  // namespace skald::imp
