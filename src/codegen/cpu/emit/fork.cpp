// SPDX-License-Identifier: Apache-2.0
// Calls that may run side by side (imp::Call::beside).
//
//   if worth it, and no check between them fails          else
//     blocks for the arguments of all calls                 call 0, check, blocks for call 1,
//     runtime: calls 0, 1, … on any threads                 call 1, …
//                       the results, which lie on the stack of this function
//
// In the first case each call is one iteration of a loop, so that of several failures that of the
// first call wins, as in the second case.
#include <llvm/IR/MDBuilder.h>

#include "codegen/cpu/emit/function_emitter.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

size_t FunctionEmitter::fork(std::span<const imp::Stmt> stmts) {
  struct Branch {
    const imp::Call* call;
    std::vector<Value*> args = {};
    std::vector<llvm::AllocaInst*> results = {};
    unsigned first = 0;  // field of the environment
  };
  std::vector<Branch> branches;
  Value* worth = value(imp::as<imp::Call>(stmts[0])->beside);
  size_t count = 0;
  for (bool more = true; more; ++count) {
    if (const auto* check = imp::as<imp::Check>(stmts[count]))
      worth = b_.CreateAnd(worth, value(check->cond));
    if (const auto* call = imp::as<imp::Call>(stmts[count])) {
      branches.push_back({.call = call});
      more = call->may_fork();
    }
  }
  for (Branch& branch : branches)
    for (const imp::Decl& d : branch.call->results)
      branch.results.push_back(
          variable(d.type.is_block() ? b_.getPtrTy() : memory_type(m_.context(), d.type.prim)));
  const auto for_each_block = [&](const auto& act) {
    for (const Branch& branch : branches)
      for (size_t k = 0; k < branch.results.size(); ++k)
        if (branch.call->results[k].type.is_block())
          act(branch.call->results[k].name, branch.results[k]);
  };
  llvm::BasicBlock* together = new_block("together");
  llvm::BasicBlock* in_order = new_block("in_order");
  llvm::BasicBlock* after = new_block("joined");
  Value* no_block = llvm::ConstantPointerNull::get(b_.getPtrTy());
  for_each_block([&](core::Name name, llvm::AllocaInst* place) {
    own(name);
    b_.CreateStore(no_block, place);
  });
  b_.CreateCondBr(worth, together, in_order);

  // One after the other.  Each result has an owner before the next call may fail.
  b_.SetInsertPoint(in_order);
  open_scope();
  size_t next = 0;
  for (size_t k = 0; k < count; ++k) {
    if (imp::as<imp::Call>(stmts[k]) == nullptr) {
      imp::visit(stmts[k].node, [&](const auto& n) { stmt(n); });
      continue;
    }
    const Branch& branch = branches[next++];
    after_call(*branch.call, b_.CreateCall(m_.function(branch.call->fn),
                                           call_args(*branch.call, branch.results)));
    for (size_t r = 0; r < branch.results.size(); ++r)
      if (const imp::Decl& d = branch.call->results[r]; d.type.is_block())
        b_.CreateStore(b_.CreateLoad(b_.getPtrTy(), branch.results[r]),
                       slots_.at(d.name.id).block_variable);
  }
  close_scope();
  b_.CreateBr(after);

  // At the same time.
  b_.SetInsertPoint(together);
  open_scope();
  for (size_t k = 0; k < count; ++k)
    if (imp::as<imp::Call>(stmts[k]) == nullptr && imp::as<imp::Check>(stmts[k]) == nullptr)
      imp::visit(stmts[k].node, [&](const auto& n) { stmt(n); });
  std::vector<llvm::Type*> types;
  std::vector<Value*> fields;
  for (Branch& branch : branches) {
    branch.first = static_cast<unsigned>(fields.size());
    branch.args = call_args(*branch.call, branch.results);
    for (Value* arg : branch.args) {
      fields.push_back(arg);
      types.push_back(arg->getType());
    }
  }
  llvm::StructType* env_type = llvm::StructType::get(m_.context(), types);
  llvm::AllocaInst* env = variable(env_type);
  for (unsigned k = 0; k < fields.size(); ++k)
    b_.CreateStore(fields[k], b_.CreateStructGEP(env_type, env, k));
  llvm::Function* fn = new_loop_function();
  llvm::IRBuilder<> in(llvm::BasicBlock::Create(m_.context(), "start", fn));
  auto* otherwise = llvm::BasicBlock::Create(m_.context(), "none", fn);
  llvm::SwitchInst* choice =
      in.CreateSwitch(fn->getArg(1), otherwise, static_cast<unsigned>(branches.size()));
  for (size_t k = 0; k < branches.size(); ++k) {
    const Branch& branch = branches[k];
    auto* block = llvm::BasicBlock::Create(m_.context(), "branch", fn);
    choice->addCase(in.getInt64(k), block);
    in.SetInsertPoint(block);
    std::vector<Value*> args;
    for (unsigned a = 0; a < branch.args.size(); ++a)
      args.push_back(in.CreateLoad(branch.args[a]->getType(),
                                   in.CreateStructGEP(env_type, fn->getArg(0), branch.first + a)));
    Value* failed = in.CreateCall(m_.function(branch.call->fn), args);
    auto* unwind = llvm::BasicBlock::Create(m_.context(), "unwind", fn);
    in.CreateCondBr(in.CreateICmpNE(failed, in.getInt32(0)), unwind, otherwise,
                    llvm::MDBuilder(m_.context()).createUnlikelyBranchWeights());
    in.SetInsertPoint(unwind);
    in.CreateCall(
        m_.runtime("skald_rt_add_frame", in.getVoidTy(), {in.getPtrTy(), in.getInt32Ty()}),
        {args[0], in.getInt32(branch.call->loc.index)});
    in.CreateRet(in.getInt32(1));
  }
  in.SetInsertPoint(otherwise);
  in.CreateRet(in.getInt32(0));
  Value* failed =
      b_.CreateCall(m_.runtime("skald_rt_fork", b_.getInt32Ty(),
                               {b_.getPtrTy(), b_.getInt64Ty(), b_.getPtrTy(), b_.getPtrTy()}),
                    {ctx_, b_.getInt64(branches.size()), fn, env});
  for_each_block([&](core::Name name, llvm::AllocaInst* place) {
    b_.CreateStore(b_.CreateLoad(b_.getPtrTy(), place), slots_.at(name.id).block_variable);
  });
  branch_if_failed(failed);
  close_scope();
  b_.CreateBr(after);

  b_.SetInsertPoint(after);
  for (const Branch& branch : branches)
    for (size_t r = 0; r < branch.results.size(); ++r) {
      const imp::Decl& d = branch.call->results[r];
      Value* result = b_.CreateLoad(branch.results[r]->getAllocatedType(), branch.results[r]);
      if (d.type.is_block()) {
        b_.CreateStore(load_data_pointer(result), slots_.at(d.name.id).variable);
      } else {
        if (d.type.prim == Prim::kBool) result = b_.CreateTrunc(result, b_.getInt1Ty());
        bind(d.name, d.type.prim, result);
      }
    }
  return count;
}

}  // namespace skald::cpu
