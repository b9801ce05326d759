// SPDX-License-Identifier: Apache-2.0
// Maps that write to accumulators at computed places, for machines with few threads.
#pragma once

#include <optional>

#include "core/edit/builder.h"
#include "core/ir/program.h"

namespace skald::passes {

// The only map of a `with_acc`, if it takes all accumulators and nothing else has to do with them,
// and all of them combine scalars; otherwise null.
core::Stmt* only_accumulating_map(core::WithAcc& node);

// From so many statements for each place on, the arrays of all chunks are small beside the work.
int64_t least_statements_for_places();

// A way to run such a `with_acc` on several threads.
struct SumsInChunks {
  core::Operand good;  // a bool, known when the program runs: is it worth it?
  core::Body body;     // gives what the statement does
};

// `stmt` is a `with_acc` whose body is a map as above and nothing else; the lambdas inside are
// sequential code when this comes back.  What `good` and the body need is appended to `out`.
SumsInChunks sums_in_chunks(core::Builder& out, core::Stmt stmt);

}  // namespace skald::passes
