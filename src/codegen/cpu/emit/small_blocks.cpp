// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/emit/small_blocks.h"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <cstddef>

#include "codegen/cpu/emit/parallel.h"
#include "imp/ir/visit.h"
#include "runtime/abi.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// Of the largest block that the lists with one size each have.
constexpr uint64_t kLargestTaken = (SKALD_RT_EVEN_CLASSES - 1) * SKALD_RT_ALIGNMENT;

class SmallBlockEmitter {
 public:
  explicit SmallBlockEmitter(FunctionEmitter& f) : f_(f), b_(f.b) {}

  Value* take(Value* bytes);
  void give_back(Value* block);

 private:
  Value* field(Value* record, uint64_t offset) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), record, offset);
  }
  Value* load(llvm::Type* type, Value* record, uint64_t offset) {
    return b_.CreateLoad(type, field(record, offset));
  }
  void store(Value* value, Value* record, uint64_t offset) {
    b_.CreateStore(value, field(record, offset));
  }
  Value* units(Value* bytes) {
    return b_.CreateLShr(b_.CreateAdd(bytes, b_.getInt64(SKALD_RT_ALIGNMENT - 1)),
                         llvm::countr_zero(uint64_t{SKALD_RT_ALIGNMENT}));
  }
  Value* list(Value* units) {
    return b_.CreateInBoundsGEP(b_.getPtrTy(),
                                field(f_.small_blocks, offsetof(SkaldSmallBlocks, kept)), units);
  }
  // The memory of a block of so many units, with its header.
  Value* memory(Value* units) {
    return b_.CreateShl(b_.CreateAdd(units, b_.getInt64(1)),
                        llvm::countr_zero(uint64_t{SKALD_RT_ALIGNMENT}));
  }
  void change_room(llvm::Instruction::BinaryOps op, Value* by) {
    Value* room = load(b_.getInt64Ty(), f_.small_blocks, offsetof(SkaldSmallBlocks, room));
    store(b_.CreateBinOp(op, room, by), f_.small_blocks, offsetof(SkaldSmallBlocks, room));
  }
  void branch_likely(Value* cond, llvm::BasicBlock* likely, llvm::BasicBlock* otherwise) {
    b_.CreateCondBr(cond, likely, otherwise,
                    llvm::MDBuilder(f_.module.context()).createLikelyBranchWeights());
  }

  FunctionEmitter& f_;
  llvm::IRBuilder<>& b_;
};

Value* SmallBlockEmitter::take(Value* bytes) {
  llvm::BasicBlock* look = f_.new_block("look");
  llvm::BasicBlock* found = f_.new_block("found");
  llvm::BasicBlock* ask = f_.new_block("allocate");
  llvm::BasicBlock* after = f_.new_block("allocated");
  branch_likely(b_.CreateICmpULE(bytes, b_.getInt64(kLargestTaken)), look, ask);
  b_.SetInsertPoint(look);
  Value* size = units(bytes);
  Value* first = list(size);
  Value* kept = b_.CreateLoad(b_.getPtrTy(), first);
  branch_likely(b_.CreateIsNotNull(kept), found, ask);
  b_.SetInsertPoint(found);
  b_.CreateStore(load(b_.getPtrTy(), kept, offsetof(SkaldBlock, owner)), first);
  change_room(llvm::Instruction::Add, memory(size));
  store(bytes, kept, offsetof(SkaldBlock, bytes));
  store(b_.getInt64(1), kept, offsetof(SkaldBlock, refs));
  store(llvm::ConstantPointerNull::get(b_.getPtrTy()), kept, offsetof(SkaldBlock, owner));
  b_.CreateBr(after);
  b_.SetInsertPoint(ask);
  Value* made = b_.CreateCall(
      f_.module.runtime("skald_rt_alloc", b_.getPtrTy(), {b_.getPtrTy(), b_.getInt64Ty()}),
      {f_.ctx, bytes});
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  llvm::PHINode* either = b_.CreatePHI(b_.getPtrTy(), 2);
  either->addIncoming(kept, found);
  either->addIncoming(made, ask);
  return either;
}

void SmallBlockEmitter::give_back(Value* block) {
  llvm::BasicBlock* look = f_.new_block("last");
  llvm::BasicBlock* keep = f_.new_block("keep");
  llvm::BasicBlock* ask = f_.new_block("release");
  llvm::BasicBlock* after = f_.new_block("released");
  b_.CreateCondBr(b_.CreateIsNull(block), after, look);
  b_.SetInsertPoint(look);
  llvm::LoadInst* refs = b_.CreateAlignedLoad(
      b_.getInt64Ty(), field(block, offsetof(SkaldBlock, refs)), llvm::Align(8));
  refs->setAtomic(llvm::AtomicOrdering::Acquire);
  Value* destroy = load(b_.getPtrTy(), block, offsetof(SkaldBlock, destroy));
  Value* bytes = load(b_.getInt64Ty(), block, offsetof(SkaldBlock, bytes));
  Value* size = units(bytes);
  Value* all = memory(size);
  // One branch for all: a block that does not go there is rare, whatever the reason.
  Value* room = load(b_.getInt64Ty(), f_.small_blocks, offsetof(SkaldSmallBlocks, room));
  Value* usual = load(b_.getPtrTy(), f_.small_blocks, offsetof(SkaldSmallBlocks, destroy));
  Value* fine = b_.CreateICmpEQ(refs, b_.getInt64(1));
  fine = b_.CreateAnd(fine, b_.CreateICmpEQ(destroy, usual));
  fine = b_.CreateAnd(fine, b_.CreateICmpULE(bytes, b_.getInt64(kLargestTaken)));
  fine = b_.CreateAnd(fine, b_.CreateICmpSGE(room, all));
  branch_likely(fine, keep, ask);
  b_.SetInsertPoint(keep);
  Value* first = list(size);
  store(b_.CreateLoad(b_.getPtrTy(), first), block, offsetof(SkaldBlock, owner));
  b_.CreateStore(block, first);
  store(b_.CreateSub(room, all), f_.small_blocks, offsetof(SkaldSmallBlocks, room));
  b_.CreateBr(after);
  b_.SetInsertPoint(ask);
  b_.CreateCall(f_.module.runtime("skald_rt_release", b_.getVoidTy(), {b_.getPtrTy()}), {block});
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

}  // namespace

bool handles_blocks(const imp::Body& body) {
  return std::ranges::any_of(body.stmts, [](const imp::Stmt& stmt) {
    if (is_parallel_loop(stmt)) return false;
    const auto* alloc = imp::as<imp::Alloc>(stmt);
    bool found = (alloc != nullptr && alloc->space == imp::Space::kHeap) ||
                 imp::as<imp::Free>(stmt) != nullptr;
    imp::for_each_body(stmt,
                       [&](const imp::Body& inner) { found = found || handles_blocks(inner); });
    return found;
  });
}

Value* own_small_blocks(ModuleEmitter& module, llvm::IRBuilder<>& b, Value* ctx) {
  return b.CreateCall(module.runtime("skald_rt_small_blocks", b.getPtrTy(), {b.getPtrTy()}), {ctx});
}

Value* take_block(FunctionEmitter& f, Value* bytes) {
  if (f.small_blocks != nullptr) return SmallBlockEmitter(f).take(bytes);
  return f.b.CreateCall(
      f.module.runtime("skald_rt_alloc", f.b.getPtrTy(), {f.b.getPtrTy(), f.b.getInt64Ty()}),
      {f.ctx, bytes});
}

void give_back_block(FunctionEmitter& f, Value* block) {
  if (f.small_blocks != nullptr) return SmallBlockEmitter(f).give_back(block);
  f.b.CreateCall(f.module.runtime("skald_rt_release", f.b.getVoidTy(), {f.b.getPtrTy()}), {block});
}

}  // namespace skald::cpu
