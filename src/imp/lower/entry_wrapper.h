// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/program.h"
#include "imp/ir/imp.h"

namespace skald::imp {

// The function that the outside world calls: arrays come and go as a block and their dimensions.
Function entry_wrapper(Program& prog, const core::Function& fn);

}  // namespace skald::imp
