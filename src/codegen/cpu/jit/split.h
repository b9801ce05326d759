// SPDX-License-Identifier: Apache-2.0
// Cuts a module into parts that are compiled on their own: each entry point with its host code,
// kernels, functions that several of these call.  Inlining has been done, and all later passes look
// at one function at a time, so a function's code does not depend on the part it is in.
#pragma once

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Module.h>

#include "codegen/cpu/emit/module.h"
#include "codegen/cpu/image/image.h"

namespace skald::cpu {

// Fills in `image.parts` (without code), `kernels` and `bitcode`.  `level`, `soon`: see
// CompileOptions.
void split(EmittedProgram& emitted, int level, bool soon, ProgramImage& image);

// The functions of one part; the others are declared.
std::unique_ptr<llvm::Module> read_part(const std::string& bitcode, size_t part,
                                        llvm::LLVMContext& context);

}  // namespace skald::cpu
