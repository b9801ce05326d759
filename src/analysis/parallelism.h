// SPDX-License-Identifier: Apache-2.0
// Questions that flattening asks about code: what is parallel, what is cheap enough to be repeated,
// what is consumed.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "core/ir/program.h"

namespace skald::analysis {

// A SOAC whose iterations are worth running in parallel: not a constant handful of them, and the
// user did not ask for a loop.
bool is_parallel(const core::Stmt& stmt);
// Is there such a SOAC in the body, at any depth?
bool has_parallelism(const core::Body& body);

// The ranks of arrays, as far as known.
using Ranks = std::unordered_map<core::Name, int>;
// May the statement be computed again wherever its value is needed?  Cheap scalar code, views,
// checks.  (A reshape is a view if the rank stays the same.)
bool is_repeatable(const core::Stmt& stmt, const Ranks& ranks);
// May the statement be computed before the loop it is in, even if that runs zero times?
bool is_total(const core::Stmt& stmt);

// The names that code in the body consumes, and all that may share memory with them.
std::unordered_set<core::Name> consumed_names(const core::Body& body, const core::Program& prog);
// The same for a function, whose unique results are given away.
std::unordered_set<core::Name> consumed_names(const core::Body& body,
                                              const std::vector<core::Ret>& results,
                                              const core::Program& prog);

}  // namespace skald::analysis
