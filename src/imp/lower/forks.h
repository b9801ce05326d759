// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/program.h"
#include "imp/ir/imp.h"

namespace skald::imp {

// Marks calls of a recursive function that may run side by side.  `source` is what `prog` was made
// from.
void mark_forks(Program& prog, const core::Program& source);

}  // namespace skald::imp
