// SPDX-License-Identifier: Apache-2.0
// imp → LLVM modules, not yet optimised.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <vector>

#include "codegen/cpu/compile.h"

namespace skald::cpu {

struct EmittedModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

// A program in one or more modules, which can be optimised at the same time.
struct EmittedProgram {
  std::vector<EmittedModule> modules;
  std::vector<FailureMessage> failures;  // by id
  std::vector<std::string> params;       // tuning parameters, by row
  // In the order of the program's functions.
  std::vector<ProgramImage::Entry> entries;
  std::string symbols;  // what the names of entry points' symbols begin with
  int once_cells = 0;
};

EmittedProgram emit_program(const imp::Program& prog, const llvm::TargetMachine& machine,
                            size_t modules, const CompileOptions& options);

// How much work a program is: its statements.
size_t statement_count(const imp::Program& prog);

}  // namespace skald::cpu
