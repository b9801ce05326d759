// SPDX-License-Identifier: Apache-2.0
// Stages of vector code (vector/stages.cpp) stay in their order.
#pragma once

#include <llvm/IR/Function.h>

namespace skald::cpu {

// The last thing before code is generated: calls that mark the end of a stage become labels.  Gives
// whether there were any.
bool separate_stages(llvm::Function& fn);

}  // namespace skald::cpu
