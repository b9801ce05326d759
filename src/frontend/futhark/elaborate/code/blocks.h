// SPDX-License-Identifier: Apache-2.0
// Finished blocks: what they bind, what can move out of them, what they need not compute.
#pragma once

#include <unordered_set>

#include "frontend/futhark/elaborate/code/code.h"

namespace skald::futhark::elab {

std::unordered_set<Name> bound_names(const Block& block);
// Moves what computes `name`, checks included, out of the block, to where we are.  `inner`: what
// the block binds.  False if that is not possible.
bool hoist(Code& code, Block& block, std::unordered_set<Name>& inner, Name name);
// Drops conversions that nothing uses.
void prune(Block& block);

}  // namespace skald::futhark::elab
