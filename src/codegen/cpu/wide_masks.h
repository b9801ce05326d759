// SPDX-License-Identifier: Apache-2.0
// Conditions of vectors on machines whose masks are ordinary vectors of integers.
#pragma once

#include <llvm/IR/Function.h>

namespace skald::cpu {

// Makes choices between vectors bitwise operations with masks of the right width where LLVM's code
// generator would take conditions apart.  Gives whether anything has changed.
bool widen_masks(llvm::Function& fn);

}  // namespace skald::cpu
