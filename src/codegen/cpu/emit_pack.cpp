// SPDX-License-Identifier: Apache-2.0
// Moving chosen elements together (imp::Pack).  Where the machine has an instruction for it, a
// register at a time: the chosen elements go to the front of a register, and all of it is stored,
// for what is behind them is overwritten by the next ones.  (The instruction can also store these
// only, which is slower.)  Elsewhere one by one, without branches: each is stored, and the place
// advances if it was chosen.
#if defined(__x86_64__)
#include <llvm/IR/IntrinsicsX86.h>
#endif

#include "codegen/cpu/function_emitter.h"
#include "support/bug.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// The elements of x that are chosen, in order, then anything.
Value* to_the_front([[maybe_unused]] llvm::IRBuilder<>& b, [[maybe_unused]] Value* x,
                    [[maybe_unused]] Value* chosen) {
#if defined(__x86_64__)
  return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_compress, {x->getType()},
                           {x, llvm::Constant::getNullValue(x->getType()), chosen});
#else
  SKALD_BUG("no instruction moves elements together");
#endif
}

}  // namespace

void FunctionEmitter::stmt(const imp::Pack& n) {
  const auto size = static_cast<unsigned>(prim_size(n.type));
  const imp::VectorRegisters& machine = m_.vector_registers();
  const bool in_registers = machine.packed_bytes > 0 && prim_size(n.type) >= machine.packed_bytes;
  const bool wide = in_registers && machine.wide_bytes > machine.bytes;
  if (wide) use_wide_registers(machine.wide_bytes);
  const unsigned lanes =
      in_registers ? static_cast<unsigned>(wide ? machine.wide_bytes : machine.bytes) / size : 1;
  llvm::Type* type = b_.getIntNTy(8 * size);
  Value* to = element(n.dest, n.type, n.start);
  Value* from = element(n.src, n.type, core::const_i64(0));
  Value* flags = element(n.flags, Prim::kBool, core::const_i64(0));
  Value* count = value(n.count);

  // Elements `begin` … `end`-1, `width` at a time; `at`: where they go.  Gives where the next ones
  // go.
  const auto loop = [&](unsigned width, Value* begin, Value* end, Value* at) -> Value* {
    const bool several = width > 1;
    llvm::Type* byte = b_.getInt8Ty();
    llvm::Type* elements = several ? llvm::FixedVectorType::get(type, width) : type;
    llvm::Type* marks = several ? llvm::FixedVectorType::get(byte, width) : byte;
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* head = new_block("pack");
    llvm::BasicBlock* inside = new_block("pack_some");
    llvm::BasicBlock* after = new_block("packed");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
    llvm::PHINode* place = b_.CreatePHI(b_.getInt64Ty(), 2);
    i->addIncoming(begin, before);
    place->addIncoming(at, before);
    b_.CreateCondBr(b_.CreateICmpSLT(i, end), inside, after);
    b_.SetInsertPoint(inside);
    auto* x =
        b_.CreateAlignedLoad(elements, b_.CreateInBoundsGEP(type, from, i), llvm::Align(size));
    auto* mark = b_.CreateAlignedLoad(marks, b_.CreateInBoundsGEP(byte, flags, i), llvm::Align(1));
    aliases_.annotate(x, n.src);
    aliases_.annotate(mark, n.flags);
    Value* stored = x;
    Value* more = mark;
    if (several) {
      Value* chosen = b_.CreateIsNotNull(mark);
      stored = to_the_front(b_, x, chosen);
      more = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop,
                                     b_.CreateBitCast(chosen, b_.getIntNTy(width)));
    }
    auto* write =
        b_.CreateAlignedStore(stored, b_.CreateInBoundsGEP(type, to, place), llvm::Align(size));
    aliases_.annotate(write, n.dest);
    place->addIncoming(b_.CreateNSWAdd(place, b_.CreateZExt(more, b_.getInt64Ty())), inside);
    i->addIncoming(b_.CreateNSWAdd(i, b_.getInt64(width)), inside);
    llvm::Instruction* back = b_.CreateBr(head);
    if (!several && in_registers) leave_scalar(back);
    b_.SetInsertPoint(after);
    return place;
  };
  Value* at = b_.getInt64(0);
  Value* whole = b_.getInt64(0);
  if (in_registers) {
    whole = b_.CreateAnd(count, b_.getInt64(~uint64_t{lanes - 1}));
    at = loop(lanes, at, whole, at);
  }
  bind(n.name, Prim::kI64, loop(1, whole, count, at));
}

}  // namespace skald::cpu
