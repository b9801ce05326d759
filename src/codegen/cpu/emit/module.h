// SPDX-License-Identifier: Apache-2.0
// imp → an LLVM module, not yet optimised.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <vector>

#include "codegen/cpu/image/foresight.h"
#include "codegen/cpu/image/image.h"
#include "codegen/cpu/target/options.h"
#include "imp/ir/imp.h"

namespace skald::cpu {

struct EmittedProgram {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  // The bodies of parallel loops outside of others, by number; empty if code calls them by name.
  std::vector<ProgramImage::Kernel> kernels;
  std::vector<ProgramImage::Group> groups = {{}};
  EmittedGroups places;                  // of the groups in host code
  std::vector<FailureMessage> failures;  // by id
  std::vector<std::string> params;       // tuning parameters, by row
  // In the order of the program's functions.
  std::vector<ProgramImage::Entry> entries;
  std::string symbols;  // what the names of entry points' symbols begin with
  int once_cells = 0;
};

class FunctionEmitter;
// Emits a loop that runs in lanes; code here knows nothing about vectors.
using LaneLoopEmitter = void(FunctionEmitter& f, const imp::For& loop);

// `lazy`: kernels are called through the table of kernel.h, so that each can be compiled when it is
// needed.
EmittedProgram emit_program(const imp::Program& prog, const llvm::TargetMachine& machine, bool lazy,
                            const CompileOptions& options, LaneLoopEmitter* lanes);

// What every context needs before it is used.
void prepare_context(llvm::LLVMContext& context);

}  // namespace skald::cpu
