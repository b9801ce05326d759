// SPDX-License-Identifier: Apache-2.0
// Writes to accumulators under branches and in loops, as writes that can run in parallel.
#pragma once

#include <functional>
#include <utility>

#include "core/edit/builder.h"

namespace skald::passes {

// Works on the body of a map or function that is given accumulators.  `combines` says of an
// accumulator whether it surely has an operator; then its writes may run in any order.
void straighten_writes(core::Program& prog, core::Body& body,
                       const std::function<bool(core::Name)>& combines);

// How many rounds a counted loop has, and their numbers.
std::pair<core::Operand, core::Name> all_rounds(core::Builder& out, const core::Loop& loop);

}  // namespace skald::passes
