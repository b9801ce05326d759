// SPDX-License-Identifier: Apache-2.0
// imp → an LLVM module, not yet optimised.
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
  std::vector<FailureMessage> failures;  // by id
  std::vector<std::string> params;       // tuning parameters, by row
  // The symbols of the entry points, in the order of the program's functions.
  struct Entry {
    std::string name, symbol;
  };
  std::vector<Entry> entries;
};

EmittedModule emit_module(const imp::Program& prog, const llvm::TargetMachine& machine);

}  // namespace skald::cpu
