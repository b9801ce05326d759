// SPDX-License-Identifier: Apache-2.0
// Memory ahead of its use, and on x86-64 stores past the caches: of copies (imp::CopyBytes with
// `stream`) and of maps with large results. An ordinary store reads its line of 64 bytes from
// memory first; one that says it is not temporal does not, if the whole line is written.  So whole
// lines are written that way, and what lies before and behind them as usual.
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

#include "codegen/cpu/emit/function_emitter.h"
#include "codegen/cpu/target/target.h"
#include "imp/ir/visit.h"
#include "imp/simd/lanes_analysis.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// Smaller results of maps may still be in the cache when the next kernel reads them.
constexpr uint64_t kStreamedMap = 64 << 20;
// The processor has few places where lines are put together.
constexpr size_t kMostStreams = 4;

}  // namespace

// Orders such stores before all that follows.  Those of one thread are seen by itself anyway, so
// the end of a piece of a parallel loop is early enough.
void FunctionEmitter::stream_fence() {
  if (kIsX86) b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
}

Value* FunctionEmitter::is_line(Value* address) {
  return b_.CreateIsNull(
      b_.CreateAnd(b_.CreatePtrToInt(address, b_.getInt64Ty()), b_.getInt64(kLineBytes - 1)));
}

void FunctionEmitter::set_past_caches(llvm::StoreInst* store) {
  llvm::Metadata* one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
  store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(m_.context(), one));
  streams_ = true;
}

std::vector<core::Name> FunctionEmitter::streamable_results(const imp::For& loop, unsigned lanes,
                                                            const imp::LanesAnalysis& analysis) {
  const bool all_points = range_.count != nullptr && loop.begin == core::Operand{range_.begin};
  if (!m_.streams() || !all_points || !may_run_again(loop, analysis)) return {};
  std::vector<core::Name> results;
  for (const imp::Stmt& stmt : loop.body.stmts) {
    const auto* store = imp::as<imp::Store>(stmt);
    if (store == nullptr || analysis.is_private(store->block)) continue;
    const bool whole_lines =
        lanes * static_cast<unsigned>(prim_size(store->type)) % kLineBytes == 0;
    if (store->index != core::Operand{loop.var} || !whole_lines) return {};
    results.push_back(store->block);
  }
  if (results.size() > kMostStreams) results.clear();
  return results;
}

Value* FunctionEmitter::should_stream(const imp::For& loop, const std::vector<core::Name>& results,
                                      const imp::LanesAnalysis& analysis) {
  Value* result = is_apart(loop, analysis);
  uint64_t bytes = 0;
  for (const imp::Stmt& stmt : loop.body.stmts) {
    const auto* store = imp::as<imp::Store>(stmt);
    if (store == nullptr || std::ranges::find(results, store->block) == results.end()) continue;
    bytes += static_cast<uint64_t>(prim_size(store->type));
    Value* first =
        b_.CreateGEP(memory_type(m_.context(), store->type), data(store->block), value(loop.begin));
    result = b_.CreateAnd(result, is_line(first));
  }
  return b_.CreateAnd(result, b_.CreateICmpUGE(range_.count, b_.getInt64(kStreamedMap / bytes)));
}

void FunctionEmitter::prefetch(Value* address, Level level) {
  b_.CreateIntrinsic(
      llvm::Intrinsic::prefetch, {b_.getPtrTy()},
      {address, b_.getInt32(0), b_.getInt32(static_cast<uint32_t>(level)), b_.getInt32(1)});
}

Value* FunctionEmitter::next_chunk() {
  if (chunk_size_ == nullptr) return nullptr;
  Value* threads =
      b_.CreateCall(m_.runtime("skald_rt_workers", b_.getInt32Ty(), {b_.getPtrTy()}), {ctx_});
  return b_.CreateMul(chunk_size_, b_.CreateZExt(threads, b_.getInt64Ty()));
}

void FunctionEmitter::stream(Value* dest, Value* src, Value* bytes) {
  const auto copy = [&](Value* from, Value* count) {
    llvm::BasicBlock* some = new_block("part_of_line");
    llvm::BasicBlock* after = new_block("after");
    b_.CreateCondBr(b_.CreateIsNotNull(count), some, after);
    b_.SetInsertPoint(some);
    b_.CreateMemCpy(b_.CreateInBoundsGEP(b_.getInt8Ty(), dest, from), llvm::MaybeAlign(),
                    b_.CreateInBoundsGEP(b_.getInt8Ty(), src, from), llvm::MaybeAlign(), count);
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  };
  if (!has_streams()) return copy(b_.getInt64(0), bytes);
  Value* to_line = b_.CreateAnd(b_.CreateNeg(b_.CreatePtrToInt(dest, b_.getInt64Ty())),
                                b_.getInt64(kLineBytes - 1));
  Value* head = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, to_line, bytes);
  copy(b_.getInt64(0), head);
  Value* rest = b_.CreateSub(bytes, head);
  Value* end = b_.CreateAdd(head, b_.CreateAnd(rest, b_.getInt64(~(kLineBytes - 1))));
  auto* line = llvm::FixedVectorType::get(b_.getInt64Ty(), kLineBytes / 8);
  count_up(head, end, kLineBytes, [&](Value* k) {
    Value* x =
        b_.CreateAlignedLoad(line, b_.CreateInBoundsGEP(b_.getInt8Ty(), src, k), llvm::Align(1));
    set_past_caches(b_.CreateAlignedStore(x, b_.CreateInBoundsGEP(b_.getInt8Ty(), dest, k),
                                          llvm::Align(kLineBytes)));
  });
  copy(end, b_.CreateSub(bytes, end));
  if (!in_loop_) stream_fence();
}

}  // namespace skald::cpu
