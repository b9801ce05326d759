// SPDX-License-Identifier: Apache-2.0
// The passes run over a module before code generation.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace skald::cpu {

// An attribute of functions in which scalars are not to be combined into vectors.
inline constexpr const char* kKeepScalars = "skald-keep-scalars";

void optimise(llvm::Module& module, llvm::TargetMachine& machine, int level);

}  // namespace skald::cpu
