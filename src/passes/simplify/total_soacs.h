// SPDX-License-Identifier: Apache-2.0
// SOACs that may run where nobody asked for them: before a loop that may have no round.
#pragma once

#include <vector>

#include "core/ir/program.h"
#include "passes/simplify/env.h"

namespace skald::passes::simplify_rules {

// An operator on scalars that gives a value for all arguments.
bool is_total_scalar(const core::Exp& exp);
// Reads one element of an array.
bool is_scalar_read(const core::Stmt& stmt);

// Can the SOAC not fail?  Its functions are scalar code that may choose and read elements, all of
// them in bounds for certain, whatever checks say: those may hold because there is no round.
// `reads` are statements outside it that become part of its functions.
bool is_total(const core::Soac& soac, const std::vector<const core::Stmt*>& reads, Env& env);

// Is it better to store the results than to compute them again?
bool is_worth_storing(const core::Stmt& soac, const Env& env);

}  // namespace skald::passes::simplify_rules
