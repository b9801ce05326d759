// SPDX-License-Identifier: Apache-2.0
// Arguments and result travel through memory: how a vector is handed over otherwise depends on the
// registers that caller and callee may use.
#include "codegen/cpu/operators/shared_maths.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "codegen/cpu/operators/inline_maths.h"
#include "codegen/cpu/optimise/optimise.h"

namespace skald::cpu {

namespace {

using llvm::Value;

// In instructions of all copies together.  Up to here a function is compiled about as quickly with
// them; a call through memory costs as much as some ten instructions.
constexpr size_t kMostCopied = 120;

// Loads its arguments, calls the function, which is inlined there, and stores the result.
llvm::Function* make_shared(llvm::Function& maths, const llvm::Function& caller) {
  llvm::LLVMContext& context = maths.getContext();
  const std::vector<llvm::Type*> pointers(maths.arg_size() + 1, llvm::PointerType::get(context, 0));
  auto* shared = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), pointers, false),
      llvm::Function::InternalLinkage, maths.getName() + "_shared", maths.getParent());
  for (const char* name : {"target-cpu", "target-features", "prefer-vector-width", kLegalVectors})
    if (caller.hasFnAttribute(name)) shared->addFnAttr(caller.getFnAttribute(name));
  shared->addFnAttr(llvm::Attribute::NoInline);
  shared->setOnlyAccessesArgMemory();
  shared->setDoesNotThrow();
  shared->setWillReturn();
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", shared));
  std::vector<Value*> args;
  for (llvm::Argument& arg : maths.args())
    args.push_back(b.CreateLoad(arg.getType(), shared->getArg(arg.getArgNo())));
  b.CreateStore(b.CreateCall(&maths, args), shared->getArg(static_cast<unsigned>(args.size())));
  b.CreateRetVoid();
  return shared;
}

void call_shared(const std::vector<llvm::CallInst*>& calls, llvm::Function& shared) {
  llvm::BasicBlock& entry = calls.front()->getFunction()->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  llvm::Type* type = calls.front()->getType();
  std::vector<Value*> places;
  for (size_t k = 0; k < shared.arg_size(); ++k) places.push_back(at_entry.CreateAlloca(type));
  for (llvm::CallInst* call : calls) {
    llvm::IRBuilder<> b(call);
    for (unsigned k = 0; k < call->arg_size(); ++k)
      b.CreateStore(call->getArgOperand(k), places[k]);
    b.CreateCall(&shared, places);
    call->replaceAllUsesWith(b.CreateLoad(type, places.back()));
    call->eraseFromParent();
  }
}

}  // namespace

void share_maths(llvm::Module& module) {
  std::vector<llvm::Function*> callers;
  for (llvm::Function& fn : module) callers.push_back(&fn);
  for (llvm::Function* caller : callers) {
    llvm::MapVector<llvm::Function*, std::vector<llvm::CallInst*>> found;
    for (llvm::Instruction& at : llvm::instructions(*caller))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&at))
        if (llvm::Function* callee = call->getCalledFunction();
            callee != nullptr && is_inline_maths(*callee))
          found[callee].push_back(call);
    for (auto& [maths, calls] : found)
      if (calls.size() > 1 && calls.size() * maths->getInstructionCount() > kMostCopied)
        call_shared(calls, *make_shared(*maths, *caller));
  }
}

}  // namespace skald::cpu
