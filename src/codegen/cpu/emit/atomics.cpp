// SPDX-License-Identifier: Apache-2.0
// What threads do to the same memory.
#include <optional>

#include "codegen/cpu/emit/statements.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// Replaces the element at `address` by combine(element) until nobody else did so in between.
template <class Combine>
void compare_exchange(FunctionEmitter& f, Prim type, Value* address, const Combine& combine) {
  llvm::Type* bits = f.b.getIntNTy(static_cast<unsigned>(8 * prim_size(type)));
  const llvm::Align align(static_cast<uint64_t>(prim_size(type)));
  auto* first = f.b.CreateAlignedLoad(bits, address, align);
  first->setAtomic(llvm::AtomicOrdering::Monotonic);
  llvm::BasicBlock* before = f.b.GetInsertBlock();
  llvm::BasicBlock* again = f.new_block("try");
  llvm::BasicBlock* after = f.new_block("exchanged");
  f.b.CreateBr(again);
  f.b.SetInsertPoint(again);
  llvm::PHINode* seen = f.b.CreatePHI(bits, 2);
  seen->addIncoming(first, before);
  Value* old = type == Prim::kBool ? f.b.CreateTrunc(seen, f.b.getInt1Ty())
                                   : f.b.CreateBitCast(seen, value_type(f.module.context(), type));
  Value* result = combine(old);
  result = type == Prim::kBool ? f.b.CreateZExt(result, bits) : f.b.CreateBitCast(result, bits);
  Value* outcome =
      f.b.CreateAtomicCmpXchg(address, seen, result, align, llvm::AtomicOrdering::AcquireRelease,
                              llvm::AtomicOrdering::Monotonic);
  seen->addIncoming(f.b.CreateExtractValue(outcome, 0), f.b.GetInsertBlock());
  f.b.CreateCondBr(f.b.CreateExtractValue(outcome, 1), after, again);
  f.b.SetInsertPoint(after);
}

}  // namespace

void emit_stmt(FunctionEmitter& f, const imp::Atomic& n) {
  using llvm::AtomicRMWInst;
  Value* address = f.element(n.block, n.type, n.index);
  Value* v = f.value(n.value);
  std::optional<AtomicRMWInst::BinOp> op;
  if (is_int(n.type)) {
    const bool is_signed = is_signed_int(n.type);
    switch (n.op) {
      case core::BinOpKind::kAdd: op = AtomicRMWInst::Add; break;
      case core::BinOpKind::kAnd: op = AtomicRMWInst::And; break;
      case core::BinOpKind::kOr: op = AtomicRMWInst::Or; break;
      case core::BinOpKind::kXor: op = AtomicRMWInst::Xor; break;
      case core::BinOpKind::kMin: op = is_signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin; break;
      case core::BinOpKind::kMax: op = is_signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax; break;
      default: break;
    }
  }
  if (op) {
    f.b.CreateAtomicRMW(*op, address, v, llvm::Align(static_cast<uint64_t>(prim_size(n.type))),
                        llvm::AtomicOrdering::Monotonic);
    return;
  }
  compare_exchange(f, n.type, address,
                   [&](Value* old) { return f.scalars.binop(n.op, n.type, old, v); });
}

void emit_stmt(FunctionEmitter& f, const imp::AtomicUpdate& n) {
  compare_exchange(f, n.type, f.element(n.block, n.type, n.index), [&](Value* old) {
    f.bind(n.old, n.type, old);
    if (n.given) f.bind(n.given, n.type, f.value(n.value));
    f.open_scope();
    f.statements(n.body.stmts);
    Value* result = f.value(n.result);
    f.close_scope();
    return result;
  });
}

void emit_stmt(FunctionEmitter& f, const imp::Locked& n) {
  Value* address = f.element(n.block, Prim::kI32, n.index);
  const llvm::Align align(4);
  llvm::BasicBlock* again = f.new_block("lock");
  llvm::BasicBlock* wait = f.new_block("wait");
  llvm::BasicBlock* locked = f.new_block("locked");
  f.b.CreateBr(again);
  f.b.SetInsertPoint(again);
  Value* old = f.b.CreateAtomicRMW(llvm::AtomicRMWInst::Xchg, address, f.b.getInt32(1), align,
                                   llvm::AtomicOrdering::Acquire);
  f.b.CreateCondBr(f.b.CreateICmpEQ(old, f.b.getInt32(0)), locked, wait);
  // The holder may have lost its core.
  f.b.SetInsertPoint(wait);
  f.b.CreateCall(f.module.runtime("skald_rt_wait_for_lock", f.b.getVoidTy(), {f.b.getPtrTy()}),
                 {address});
  f.b.CreateBr(again);
  f.b.SetInsertPoint(locked);
  f.held_lock = address;
  f.body(n.body);
  f.held_lock = nullptr;
  unlock(f, address);
}

void unlock(FunctionEmitter& f, Value* lock) {
  auto* store = f.b.CreateAlignedStore(f.b.getInt32(0), lock, llvm::Align(4));
  store->setAtomic(llvm::AtomicOrdering::Release);
}

}  // namespace skald::cpu
