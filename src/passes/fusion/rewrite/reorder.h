// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "analysis/aliases.h"
#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes::fusion {

using ArrayTypes = std::unordered_map<core::Name, core::Type>;

// Lets commutative reductions read arrays in the order they are in; see reorder.cpp.  True if
// something changed.  `explain`: say why others do not.
bool drop_orders(core::Body& body, core::Program& prog, const ArrayTypes& types,
                 analysis::Aliases& aliases, PassContext& ctx, bool explain);

}  // namespace skald::passes::fusion
