// SPDX-License-Identifier: Apache-2.0
// A pipeline of our own instead of LLVM's -O2: our input is structured and already simplified, and
// compile time is part of every `skald run`.  What stays is what loops need: values out of
// variables, invariant code out of loops, vectorisation, unrolling.
#include "codegen/cpu/optimise/optimise.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Inliner.h>
#include <llvm/Transforms/IPO/ModuleInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopIdiomRecognize.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>

#include <unordered_set>

#include "codegen/cpu/optimise/masks.h"
#include "codegen/cpu/optimise/stages.h"

namespace skald::cpu {

namespace {

// Values out of variables; enough to judge what is worth inlining.
llvm::FunctionPassManager simplification() {
  llvm::FunctionPassManager f;
  f.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  f.addPass(llvm::EarlyCSEPass(true));
  f.addPass(llvm::SimplifyCFGPass());
  return f;
}

// Iterations side by side (emit/side_by_side.cpp) are meant to stay scalars.
class SlpUnlessKept : public llvm::PassInfoMixin<SlpUnlessKept> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& fn, llvm::FunctionAnalysisManager& analyses) {
    if (fn.hasFnAttribute(kKeepScalars)) return llvm::PreservedAnalyses::all();
    return slp_.run(fn, analyses);
  }

 private:
  llvm::SLPVectorizerPass slp_;
};

// x86 multiplies bytes by way of one certain register only.  InstCombine makes such products of
// wider ones, so they are widened last.
class WideProducts : public llvm::PassInfoMixin<WideProducts> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& fn, llvm::FunctionAnalysisManager&) {
    bool any = false;
    for (llvm::Instruction& at : llvm::make_early_inc_range(llvm::instructions(fn))) {
      if (at.getOpcode() != llvm::Instruction::Mul || !at.getType()->isIntegerTy(8)) continue;
      llvm::IRBuilder<> b(&at);
      llvm::Value* wide = b.CreateMul(b.CreateZExt(at.getOperand(0), b.getInt32Ty()),
                                      b.CreateZExt(at.getOperand(1), b.getInt32Ty()));
      at.replaceAllUsesWith(b.CreateTrunc(wide, at.getType()));
      at.eraseFromParent();
      any = true;
    }
    if (!any) return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

// Conditions as the machine has them.
class MachineMasks : public llvm::PassInfoMixin<MachineMasks> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& fn, llvm::FunctionAnalysisManager& analyses) {
    const llvm::Triple machine(fn.getParent()->getTargetTriple());
    if (!(machine.isAArch64() ? widen_masks(fn) : split_conditions(fn)))
      return llvm::PreservedAnalyses::all();
    // Loops may carry conditions that nobody asks for any more.
    llvm::ADCEPass().run(fn, analyses);
    return llvm::PreservedAnalyses::none();
  }
};

class Stages : public llvm::PassInfoMixin<Stages> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& fn, llvm::FunctionAnalysisManager&) {
    return separate_stages(fn) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

// For large programs, and for those that are wanted soon: what does little for loops that we made.
enum class Effort : uint8_t { kSoon, kLarge, kAll };

// InstCombine is a third of the time, so it runs only where later passes depend on it: before the
// loops, before and after vectorisation.
llvm::FunctionPassManager optimisation(Effort effort) {
  llvm::FunctionPassManager f;
  f.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  f.addPass(llvm::EarlyCSEPass(true));
  f.addPass(llvm::InstCombinePass());
  f.addPass(llvm::SimplifyCFGPass());
  llvm::LoopPassManager first;
  first.addPass(llvm::LoopRotatePass());
  first.addPass(llvm::LICMPass(llvm::LICMOptions()));
  first.addPass(llvm::SimpleLoopUnswitchPass());
  f.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(first), true));
  f.addPass(llvm::SimplifyCFGPass());
  llvm::LoopPassManager second;
  second.addPass(llvm::LoopIdiomRecognizePass());
  if (effort != Effort::kSoon) second.addPass(llvm::IndVarSimplifyPass());
  second.addPass(llvm::LoopDeletionPass());
  second.addPass(llvm::LoopFullUnrollPass());
  f.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(second)));
  f.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  if (effort != Effort::kAll) {
    f.addPass(llvm::EarlyCSEPass(true));
    f.addPass(llvm::ADCEPass());
    f.addPass(llvm::LoopVectorizePass());
    f.addPass(llvm::SimplifyCFGPass());
    f.addPass(WideProducts());
    f.addPass(MachineMasks());
    f.addPass(Stages());
    return f;
  }
  f.addPass(llvm::GVNPass());
  f.addPass(llvm::InstCombinePass());
  f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  f.addPass(llvm::ADCEPass());
  f.addPass(llvm::LoopVectorizePass());
  f.addPass(llvm::InstCombinePass());
  f.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()
                                      .convertSwitchRangeToICmp(true)
                                      .hoistCommonInsts(true)
                                      .sinkCommonInsts(true)));
  f.addPass(SlpUnlessKept());
  f.addPass(llvm::VectorCombinePass());
  f.addPass(llvm::LoopUnrollPass());
  f.addPass(llvm::EarlyCSEPass());
  f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  f.addPass(llvm::SimplifyCFGPass());
  f.addPass(WideProducts());
  f.addPass(MachineMasks());
  f.addPass(Stages());
  return f;
}

template <class AddPasses>
void run_passes(llvm::Module& module, llvm::TargetMachine& machine, const AddPasses& add) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager m;
  add(m);
  m.run(module, modules);
}

}  // namespace

namespace {

// Functions that may become parts of each other.
struct Inlinable {
  std::unordered_set<const llvm::Function*> functions;  // callees, and who calls them
  bool any = false, only_always = true;
};

Inlinable find_inlinable(const llvm::Module& module) {
  Inlinable out;
  for (const llvm::Function& fn : module) {
    for (const llvm::Instruction& at : llvm::instructions(fn)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&at);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee == nullptr || callee->isDeclaration() || call->isNoInline()) continue;
      out.any = true;
      out.only_always &= callee->hasFnAttribute(llvm::Attribute::AlwaysInline);
      out.functions.insert(callee);
      out.functions.insert(&fn);
    }
  }
  return out;
}

// The passes of `simplification` for some functions.
class Simplify : public llvm::PassInfoMixin<Simplify> {
 public:
  explicit Simplify(const Inlinable& which) : which_(which), passes_(simplification()) {}

  llvm::PreservedAnalyses run(llvm::Function& fn, llvm::FunctionAnalysisManager& analyses) {
    if (!which_.functions.contains(&fn)) return llvm::PreservedAnalyses::all();
    return passes_.run(fn, analyses);
  }

 private:
  const Inlinable& which_;
  llvm::FunctionPassManager passes_;
};

}  // namespace

void inline_calls(llvm::Module& module, llvm::TargetMachine& machine, int level) {
  if (level == 0) return;
  const Inlinable inlinable = find_inlinable(module);
  run_passes(module, machine, [&](llvm::ModulePassManager& m) {
    if (inlinable.any) m.addPass(llvm::createModuleToFunctionPassAdaptor(Simplify(inlinable)));
    if (inlinable.any && inlinable.only_always)
      m.addPass(llvm::AlwaysInlinerPass());
    else if (inlinable.any)
      m.addPass(llvm::ModuleInlinerWrapperPass(llvm::getInlineParams(level == 1 ? 25 : 225)));
    m.addPass(llvm::GlobalDCEPass());
  });
}

namespace {

// What LLVM's quick way to select instructions on x86 does not know it leaves, with all of the
// block before it, to the slow one.  So it is said differently: every load acquires there, and the
// lesser of two numbers is chosen.
void say_simply(llvm::Function& fn) {
  for (llvm::Instruction& at : llvm::make_early_inc_range(llvm::instructions(fn))) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&at); load != nullptr && load->isAtomic()) {
      load->setAtomic(llvm::AtomicOrdering::NotAtomic);
      load->setVolatile(true);
    }
    auto* either = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&at);
    if (either == nullptr || either->getType()->isVectorTy()) continue;
    llvm::IRBuilder<> b(either);
    llvm::Value* first = b.CreateICmp(either->getPredicate(), either->getLHS(), either->getRHS());
    either->replaceAllUsesWith(b.CreateSelect(first, either->getLHS(), either->getRHS()));
    either->eraseFromParent();
  }
}

}  // namespace

void tidy_functions(llvm::Module& module, llvm::TargetMachine& machine) {
  run_passes(module, machine, [&](llvm::ModulePassManager& m) {
    m.addPass(llvm::createModuleToFunctionPassAdaptor(simplification()));
  });
  if (!machine.getTargetTriple().isX86()) return;
  for (llvm::Function& fn : module) say_simply(fn);
}

void optimise_functions(llvm::Module& module, llvm::TargetMachine& machine, int level, bool soon) {
  if (level == 0) return;
  const Effort effort = soon ? Effort::kSoon : level == 1 ? Effort::kLarge : Effort::kAll;
  run_passes(module, machine, [&](llvm::ModulePassManager& m) {
    m.addPass(llvm::createModuleToFunctionPassAdaptor(optimisation(effort)));
  });
}

}  // namespace skald::cpu
