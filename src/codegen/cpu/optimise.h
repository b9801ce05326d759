// SPDX-License-Identifier: Apache-2.0
// The passes run over a module before code generation.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace skald::cpu {

void optimise(llvm::Module& module, llvm::TargetMachine& machine, int level);

}  // namespace skald::cpu
