// SPDX-License-Identifier: Apache-2.0
// Frees after last uses.
#pragma once

#include "core/ir/program.h"

namespace skald::passes {

// Adds `free` after the last statement of `body` that uses a block made in `body`, unless the block
// is among the results, and the same in all bodies inside.
void insert_frees(core::Body& body);

}  // namespace skald::passes
