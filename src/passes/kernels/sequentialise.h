// SPDX-License-Identifier: Apache-2.0
// SOACs → loops, for code that runs inside one iteration of a kernel.
#pragma once

#include "core/edit/builder.h"
#include "core/ir/program.h"

namespace skald::passes {

// Replaces every SOAC in `body`, at every depth, by a loop.  Calls go to `fn_seq` variants, which
// the caller must make (see sequential_name).
void sequentialise(core::Body& body, core::Program& prog);

// Appends the loop that computes what `stmt`, a SOAC, does.  The lambdas inside are sequentialised
// too.
void sequentialise_stmt(core::Builder& out, core::Stmt stmt);

// Appends the body of `fn` with its parameters replaced by `args`; gives its results.  `fn` is used
// up.
std::vector<core::Operand> inline_lambda(core::Builder& out, core::Lambda fn,
                                         const std::vector<core::Operand>& args);

// The name of the variant of a function that runs without kernels.
std::string sequential_name(const std::string& fn);

}  // namespace skald::passes
