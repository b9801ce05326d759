// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

namespace skald::cpu {

// Functions of inline_maths.h that one function calls so often that copies of them would take long
// to compile: calls go to one copy, made for that function.  Before inlining.
void share_maths(llvm::Module& module);

}  // namespace skald::cpu
