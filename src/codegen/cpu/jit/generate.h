// SPDX-License-Identifier: Apache-2.0
// LLVM IR → machine code.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>

#include <string>

#include "codegen/cpu/image/image.h"
#include "codegen/cpu/target/target.h"

namespace skald::cpu {

// Machine code as an object file (or assembly) in memory.  Of large programs the instructions are
// not reordered: that is half of the time, and processors do it themselves.
llvm::SmallVector<char, 0> generate(llvm::Module& module, llvm::TargetMachine& machine,
                                    llvm::CodeGenFileType type);

// The object code of a part that has none yet.  May be called for several parts at the same time.
Result<std::string> compile_part(const ProgramImage& image, size_t part);

}  // namespace skald::cpu
