// SPDX-License-Identifier: Apache-2.0
// A step of the pass `unread` that other passes need too.
#pragma once

#include "imp/ir/imp.h"
#include "imp/passes/pass.h"

namespace skald::imp {

// Removes blocks of any kind that nobody reads from one function.
void remove_unread_blocks(Function& fn, PassContext& ctx);

}  // namespace skald::imp
