// SPDX-License-Identifier: Apache-2.0
// Memory ahead of its use, and on x86-64 stores past the caches: of copies (imp::CopyBytes with
// `stream`) and of maps with large results. An ordinary store reads its line of 64 bytes from
// memory first; one that says it is not temporal does not, if the whole line is written.  So whole
// lines are written that way, and what lies before and behind them as usual.
#include "codegen/cpu/emit/stream.h"

#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/cpu/target/target.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

// Orders such stores before all that follows.  Those of one thread are seen by itself anyway, so
// the end of a piece of a parallel loop is early enough.
void stream_fence(FunctionEmitter& f) {
  if (kIsX86) f.b.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
}

Value* is_line(FunctionEmitter& f, Value* address) {
  return f.b.CreateIsNull(
      f.b.CreateAnd(f.b.CreatePtrToInt(address, f.b.getInt64Ty()), f.b.getInt64(kLineBytes - 1)));
}

void set_past_caches(FunctionEmitter& f, llvm::StoreInst* store) {
  llvm::Metadata* one = llvm::ConstantAsMetadata::get(f.b.getInt32(1));
  store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(f.module.context(), one));
  f.streams = true;
}

void prefetch(FunctionEmitter& f, Value* address, CacheLevel level) {
  f.b.CreateIntrinsic(
      llvm::Intrinsic::prefetch, {f.b.getPtrTy()},
      {address, f.b.getInt32(0), f.b.getInt32(static_cast<uint32_t>(level)), f.b.getInt32(1)});
}

Value* next_chunk_of(FunctionEmitter& f) {
  if (f.chunk_size == nullptr) return nullptr;
  Value* threads = f.b.CreateCall(
      f.module.runtime("skald_rt_workers", f.b.getInt32Ty(), {f.b.getPtrTy()}), {f.ctx});
  return f.b.CreateMul(f.chunk_size, f.b.CreateZExt(threads, f.b.getInt64Ty()));
}

void stream(FunctionEmitter& f, Value* dest, Value* src, Value* bytes) {
  const auto copy = [&](Value* from, Value* count) {
    llvm::BasicBlock* some = f.new_block("part_of_line");
    llvm::BasicBlock* after = f.new_block("after");
    f.b.CreateCondBr(f.b.CreateIsNotNull(count), some, after);
    f.b.SetInsertPoint(some);
    f.b.CreateMemCpy(f.b.CreateInBoundsGEP(f.b.getInt8Ty(), dest, from), llvm::MaybeAlign(),
                     f.b.CreateInBoundsGEP(f.b.getInt8Ty(), src, from), llvm::MaybeAlign(), count);
    f.b.CreateBr(after);
    f.b.SetInsertPoint(after);
  };
  if (!has_streams()) return copy(f.b.getInt64(0), bytes);
  Value* to_line = f.b.CreateAnd(f.b.CreateNeg(f.b.CreatePtrToInt(dest, f.b.getInt64Ty())),
                                 f.b.getInt64(kLineBytes - 1));
  Value* head = f.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, to_line, bytes);
  copy(f.b.getInt64(0), head);
  Value* rest = f.b.CreateSub(bytes, head);
  Value* end = f.b.CreateAdd(head, f.b.CreateAnd(rest, f.b.getInt64(~(kLineBytes - 1))));
  auto* line = llvm::FixedVectorType::get(f.b.getInt64Ty(), kLineBytes / 8);
  f.count_up(head, end, kLineBytes, [&](Value* k) {
    Value* x =
        f.b.CreateAlignedLoad(line, f.b.CreateInBoundsGEP(f.b.getInt8Ty(), src, k), llvm::Align(1));
    set_past_caches(f, f.b.CreateAlignedStore(x, f.b.CreateInBoundsGEP(f.b.getInt8Ty(), dest, k),
                                              llvm::Align(kLineBytes)));
  });
  copy(end, f.b.CreateSub(bytes, end));
  if (!f.in_loop) stream_fence(f);
}

}  // namespace skald::cpu
