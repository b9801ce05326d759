// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/jit/generate.h"

#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/cpu/emit/module.h"
#include "codegen/cpu/jit/split.h"
#include "codegen/cpu/optimise/optimise.h"
#include "support/bug.h"

namespace skald::cpu {

llvm::SmallVector<char, 0> generate(llvm::Module& module, llvm::TargetMachine& machine,
                                    llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  if (machine.getOptLevel() != llvm::CodeGenOptLevel::Less) {
    if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
      SKALD_BUG("LLVM cannot write this kind of file");
    passes.run(module);
    return code;
  }
  auto& target = static_cast<llvm::LLVMTargetMachine&>(machine);
  llvm::TargetPassConfig* config = target.createPassConfig(passes);
  config->disablePass(&llvm::MachineSchedulerID);
  config->disablePass(&llvm::PostMachineSchedulerID);
  passes.add(config);
  auto* info = new llvm::MachineModuleInfoWrapperPass(&target);  // belongs to `passes`
  passes.add(info);
  bool failed = config->addISelPasses();
  config->addMachinePasses();
  config->setInitialized();
  failed =
      failed || target.addAsmPrinter(passes, stream, nullptr, type, info->getMMI().getContext());
  if (failed) SKALD_BUG("LLVM cannot write this kind of file");
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.run(module);
  return code;
}

namespace {

// LLVM's loop strength reduction takes up to a third of the time that code generation takes, and
// addresses in our loops are simple already.
class NoStrengthReduction : public llvm::OptPassGate {
 public:
  bool isEnabled() const override { return true; }
  bool shouldRunPass(const llvm::StringRef pass, llvm::StringRef) override {
    return pass != "Loop Strength Reduction";
  }
};

}  // namespace

Result<std::string> compile_part(const ProgramImage& image, size_t part) {
  const int level = image.parts[part].level;
  const bool quick = image.parts[part].quick;
  const int code_level = quick ? 0 : level;
  Result<std::unique_ptr<llvm::TargetMachine>> machine = SpareMachines::all().take(code_level);
  if (!machine) return machine.failure();
  NoStrengthReduction gate;
  llvm::LLVMContext context;
  prepare_context(context);
  if (image.parts[part].soon) context.setOptPassGate(gate);
  const std::unique_ptr<llvm::Module> module = read_part(image.bitcode, part, context);
  if (quick && level > 0)
    tidy_functions(*module, **machine);
  else
    optimise_functions(*module, **machine, level, image.parts[part].soon);
  const llvm::SmallVector<char, 0> code =
      generate(*module, **machine, llvm::CodeGenFileType::ObjectFile);
  SpareMachines::all().give_back(code_level, std::move(*machine));
  return std::string(code.begin(), code.end());
}

}  // namespace skald::cpu
