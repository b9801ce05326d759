// SPDX-License-Identifier: Apache-2.0
// Statements of the forward sweep: they must leave alive what the rules read later.
#pragma once

#include "passes/differentiate/base/session.h"

namespace skald::passes::ad {

// Whatever the statement would consume is copied before, in `out`; what bodies inside consume is
// copied there, unless they made it themselves.
void keep_alive(Stmt& stmt, Emit& out);
// The same for the statements of a body that ends.
void keep_alive_inside(Session& session, Body& body);

// Without writes to accumulators from outside, and without these accumulators.
void strip_accumulators(Session& session, Stmt& stmt);

}  // namespace skald::passes::ad
