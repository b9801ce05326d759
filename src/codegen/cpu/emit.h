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

// The bodies of parallel loops outside of others.
struct EmittedKernel {
  std::string symbol;
  // Those with the same number run if one of them does, as far as branches tell.
  uint32_t group = 0;
};

// The group of kernels that every call of an entry point reaches.
inline constexpr uint32_t kSurelyRun = 0;

struct EmittedProgram {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::vector<EmittedKernel> kernels;    // by number; empty if code calls them by name
  std::vector<FailureMessage> failures;  // by id
  std::vector<std::string> params;       // tuning parameters, by row
  // In the order of the program's functions.
  std::vector<ProgramImage::Entry> entries;
  std::string symbols;  // what the names of entry points' symbols begin with
  int once_cells = 0;
};

// `lazy`: kernels are called through the table of kernel.h, so that each can be compiled when it is
// needed.
EmittedProgram emit_program(const imp::Program& prog, const llvm::TargetMachine& machine, bool lazy,
                            const CompileOptions& options);

// What every context needs before it is used.
void prepare_context(llvm::LLVMContext& context);

// How much work a program is: its statements.
size_t statement_count(const imp::Program& prog);

}  // namespace skald::cpu
