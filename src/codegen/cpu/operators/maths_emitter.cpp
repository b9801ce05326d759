// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/operators/maths_emitter.h"

#include <fmt/format.h>
#include <llvm/IR/MDBuilder.h>

#include <vector>

namespace skald::cpu {

MathsEmitter::MathsEmitter(llvm::Module& module, llvm::Function* fn, unsigned lanes)
    : b_(llvm::BasicBlock::Create(module.getContext(), "", fn)),
      module_(module),
      fn_(fn),
      lanes_(lanes),
      singles_(llvm::FixedVectorType::get(b_.getFloatTy(), lanes)),
      doubles_(llvm::FixedVectorType::get(b_.getDoubleTy(), lanes)),
      ints_(llvm::FixedVectorType::get(b_.getInt32Ty(), lanes)),
      longs_(llvm::FixedVectorType::get(b_.getInt64Ty(), lanes)) {}

// Where the condition does not hold in all lanes, the C library's function is called for each.
void MathsEmitter::unless_all(Value* condition, std::string_view name) {
  llvm::LLVMContext& context = module_.getContext();
  auto* rare = llvm::BasicBlock::Create(context, "rare", fn_);
  auto* usual = llvm::BasicBlock::Create(context, "usual", fn_);
  llvm::MDNode* unlikely = llvm::MDBuilder(context).createBranchWeights(1 << 20, 1);
  b_.CreateCondBr(b_.CreateAndReduce(condition), usual, rare, unlikely);
  b_.SetInsertPoint(rare);
  // Through memory: how a vector is handed over depends on the registers that a function may use.
  std::vector<Value*> places;
  llvm::BasicBlock& entry = fn_->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  for (size_t k = 0; k <= fn_->arg_size(); ++k)
    places.push_back(at_entry.CreateAlloca(fn_->getReturnType()));
  for (llvm::Argument& arg : fn_->args()) b_.CreateStore(&arg, places[arg.getArgNo()]);
  b_.CreateCall(lane_by_lane(name), places);
  b_.CreateRet(b_.CreateLoad(fn_->getReturnType(), places.back()));
  b_.SetInsertPoint(usual);
}

// Gets the addresses of the arguments and that of the result.
llvm::Function* MathsEmitter::lane_by_lane(std::string_view name) {
  const std::vector<llvm::Type*> pointers(fn_->arg_size() + 1, b_.getPtrTy());
  auto* all =
      llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), pointers, false),
                             llvm::Function::InternalLinkage, fn_->getName() + "_lanes", module_);
  all->setOnlyAccessesArgMemory();
  all->setDoesNotThrow();
  all->setWillReturn();
  all->addFnAttr(llvm::Attribute::NoInline);
  all->addFnAttr(llvm::Attribute::Cold);
  llvm::Type* element = fn_->getReturnType()->getScalarType();
  const std::vector<llvm::Type*> types(fn_->arg_size(), element);
  llvm::FunctionCallee one = module_.getOrInsertFunction(
      fmt::format("skald_m_{}", name), llvm::FunctionType::get(element, types, false));
  auto* scalar = llvm::cast<llvm::Function>(one.getCallee());
  scalar->setDoesNotAccessMemory();
  scalar->setDoesNotThrow();
  scalar->setWillReturn();
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(module_.getContext(), "", all));
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    const auto place = [&](unsigned k) {
      return b.CreateConstInBoundsGEP1_64(element, all->getArg(k), lane);
    };
    const auto count = static_cast<unsigned>(fn_->arg_size());
    std::vector<Value*> args;
    for (unsigned k = 0; k < count; ++k) args.push_back(b.CreateLoad(element, place(k)));
    b.CreateStore(b.CreateCall(one, args), place(count));
  }
  b.CreateRetVoid();
  return all;
}

}  // namespace skald::cpu
