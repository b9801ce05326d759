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

#include "codegen/cpu/emit/statements.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

namespace {

class ForkEmitter {
 public:
  ForkEmitter(FunctionEmitter& f, std::span<const imp::Stmt> stmts) : f_(f), b_(f.b) {
    worth_ = f.value(imp::as<imp::Call>(stmts[0])->beside);
    size_t count = 0;
    for (bool more = true; more; ++count) {
      if (const auto* check = imp::as<imp::Check>(stmts[count]))
        worth_ = b_.CreateAnd(worth_, f.value(check->cond));
      if (const auto* call = imp::as<imp::Call>(stmts[count])) {
        branches_.push_back({.call = call});
        more = call->may_fork();
      }
    }
    stmts_ = stmts.first(count);
  }

  // Gives the number of statements.
  size_t run();

 private:
  struct Branch {
    const imp::Call* call;
    std::vector<Value*> args = {};
    std::vector<llvm::AllocaInst*> results = {};
    unsigned first = 0;  // field of the environment
  };

  void in_order();
  void together();
  // Statements between the calls are written twice; what is bound inside them has no slot before.
  void forget_inside(std::span<const imp::Stmt> stmts);
  // Switches between the calls; their arguments lie in the environment.
  llvm::Function* branch_function(llvm::StructType* env_type);
  void bind_results();
  template <class Act>
  void for_each_block(const Act& act) {
    for (const Branch& branch : branches_)
      for (size_t k = 0; k < branch.results.size(); ++k)
        if (branch.call->results[k].type.is_block())
          act(branch.call->results[k].name, branch.results[k]);
  }

  FunctionEmitter& f_;
  llvm::IRBuilder<>& b_;
  std::span<const imp::Stmt> stmts_;
  std::vector<Branch> branches_;
  Value* worth_ = nullptr;
};

size_t ForkEmitter::run() {
  for (Branch& branch : branches_)
    for (const imp::Decl& d : branch.call->results)
      branch.results.push_back(f_.variable(
          d.type.is_block() ? b_.getPtrTy() : memory_type(f_.module.context(), d.type.prim)));
  llvm::BasicBlock* at_once = f_.new_block("together");
  llvm::BasicBlock* one_by_one = f_.new_block("in_order");
  llvm::BasicBlock* after = f_.new_block("joined");
  Value* no_block = llvm::ConstantPointerNull::get(b_.getPtrTy());
  for_each_block([&](core::Name name, llvm::AllocaInst* place) {
    f_.own(name);
    b_.CreateStore(no_block, place);
  });
  b_.CreateCondBr(worth_, at_once, one_by_one);
  b_.SetInsertPoint(one_by_one);
  in_order();
  b_.CreateBr(after);
  forget_inside(stmts_);
  b_.SetInsertPoint(at_once);
  together();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  bind_results();
  return stmts_.size();
}

void ForkEmitter::forget_inside(std::span<const imp::Stmt> stmts) {
  for (const imp::Stmt& stmt : stmts) {
    imp::for_each_binder(stmt, [&](core::Name name, imp::Type, imp::BinderScope scope) {
      if (scope == imp::BinderScope::kInner) f_.slots.erase(name.id);
    });
    imp::for_each_body(stmt, [&](const imp::Body& body) {
      for (const imp::Stmt& inner : body.stmts)
        imp::for_each_binder(
            inner, [&](core::Name name, imp::Type, imp::BinderScope) { f_.slots.erase(name.id); });
      forget_inside(body.stmts);
    });
  }
}

// Each result has an owner before the next call may fail.
void ForkEmitter::in_order() {
  f_.open_scope();
  size_t next = 0;
  for (const imp::Stmt& stmt : stmts_) {
    if (imp::as<imp::Call>(stmt) == nullptr) {
      imp::visit(stmt.node, [&](const auto& n) { emit_stmt(f_, n); });
      continue;
    }
    const Branch& branch = branches_[next++];
    after_call(f_, *branch.call, call_function(f_, *branch.call, branch.results));
    for (size_t r = 0; r < branch.results.size(); ++r)
      if (const imp::Decl& d = branch.call->results[r]; d.type.is_block())
        b_.CreateStore(b_.CreateLoad(b_.getPtrTy(), branch.results[r]),
                       f_.slots.at(d.name.id).block_variable);
  }
  f_.close_scope();
}

void ForkEmitter::together() {
  f_.open_scope();
  for (const imp::Stmt& stmt : stmts_)
    if (imp::as<imp::Call>(stmt) == nullptr && imp::as<imp::Check>(stmt) == nullptr)
      imp::visit(stmt.node, [&](const auto& n) { emit_stmt(f_, n); });
  std::vector<llvm::Type*> types;
  std::vector<Value*> fields;
  for (Branch& branch : branches_) {
    branch.first = static_cast<unsigned>(fields.size());
    branch.args = call_args(f_, *branch.call, branch.results);
    for (Value* arg : branch.args) {
      fields.push_back(arg);
      types.push_back(arg->getType());
    }
  }
  llvm::StructType* env_type = llvm::StructType::get(f_.module.context(), types);
  llvm::AllocaInst* env = f_.variable(env_type);
  for (unsigned k = 0; k < fields.size(); ++k)
    b_.CreateStore(fields[k], b_.CreateStructGEP(env_type, env, k));
  llvm::Function* fn = branch_function(env_type);
  Value* failed = b_.CreateCall(
      f_.module.runtime("skald_rt_fork", b_.getInt32Ty(),
                        {b_.getPtrTy(), b_.getInt64Ty(), b_.getPtrTy(), b_.getPtrTy()}),
      {f_.ctx, b_.getInt64(branches_.size()), fn, env});
  for_each_block([&](core::Name name, llvm::AllocaInst* place) {
    b_.CreateStore(b_.CreateLoad(b_.getPtrTy(), place), f_.slots.at(name.id).block_variable);
  });
  f_.branch_if_failed(failed);
  f_.close_scope();
}

llvm::Function* ForkEmitter::branch_function(llvm::StructType* env_type) {
  llvm::LLVMContext& ctx = f_.module.context();
  llvm::Function* fn = new_loop_function(f_);
  llvm::IRBuilder<> in(llvm::BasicBlock::Create(ctx, "start", fn));
  auto* otherwise = llvm::BasicBlock::Create(ctx, "none", fn);
  llvm::SwitchInst* choice =
      in.CreateSwitch(fn->getArg(1), otherwise, static_cast<unsigned>(branches_.size()));
  for (size_t k = 0; k < branches_.size(); ++k) {
    const Branch& branch = branches_[k];
    auto* block = llvm::BasicBlock::Create(ctx, "branch", fn);
    choice->addCase(in.getInt64(k), block);
    in.SetInsertPoint(block);
    std::vector<Value*> args;
    for (unsigned a = 0; a < branch.args.size(); ++a)
      args.push_back(in.CreateLoad(branch.args[a]->getType(),
                                   in.CreateStructGEP(env_type, fn->getArg(0), branch.first + a)));
    Value* failed = in.CreateCall(f_.module.function(branch.call->fn), args);
    auto* unwind = llvm::BasicBlock::Create(ctx, "unwind", fn);
    in.CreateCondBr(in.CreateICmpNE(failed, in.getInt32(0)), unwind, otherwise,
                    llvm::MDBuilder(ctx).createUnlikelyBranchWeights());
    in.SetInsertPoint(unwind);
    in.CreateCall(
        f_.module.runtime("skald_rt_add_frame", in.getVoidTy(), {in.getPtrTy(), in.getInt32Ty()}),
        {args[0], in.getInt32(branch.call->loc.index)});
    in.CreateRet(in.getInt32(1));
  }
  in.SetInsertPoint(otherwise);
  in.CreateRet(in.getInt32(0));
  return fn;
}

void ForkEmitter::bind_results() {
  for (const Branch& branch : branches_)
    for (size_t r = 0; r < branch.results.size(); ++r) {
      const imp::Decl& d = branch.call->results[r];
      Value* result = b_.CreateLoad(branch.results[r]->getAllocatedType(), branch.results[r]);
      if (d.type.is_block()) {
        b_.CreateStore(f_.load_data_pointer(result), f_.slots.at(d.name.id).variable);
      } else {
        if (d.type.prim == Prim::kBool) result = b_.CreateTrunc(result, b_.getInt1Ty());
        f_.bind(d.name, d.type.prim, result);
      }
    }
}

}  // namespace

size_t fork(FunctionEmitter& f, std::span<const imp::Stmt> stmts) {
  return ForkEmitter(f, stmts).run();
}

}  // namespace skald::cpu
