// SPDX-License-Identifier: Apache-2.0
// The scalars that compute sizes and places of blocks, tidied up.
#pragma once

#include "core/ir/program.h"

namespace skald::passes {

// Computes equal scalars once where one is in scope of the other.
void share_scalars(core::Function& fn);
// Removes the scalar statements that nobody uses, at every depth.
void remove_unused_scalars(core::Function& fn);

}  // namespace skald::passes
