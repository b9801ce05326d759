// SPDX-License-Identifier: Apache-2.0
// A `simd for` as vector code:
//
//   for (i = begin; i + lanes <= end; i += lanes) the body in all lanes
//   for (; i < end; i += few)                     the body in `few` lanes, masked
//
// or what else its plan says.  After a failing check, scalar code takes over from the first
// iteration of the group on.
#include "codegen/cpu/vector/loop.h"

#include <algorithm>

#include "codegen/cpu/emit/stream.h"
#include "codegen/cpu/vector/statements.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// Does the loop collect elements of points that the thread has seen before?
bool collects_again(const imp::For& loop) {
  return std::ranges::any_of(loop.body.stmts, [](const imp::Stmt& stmt) {
    const auto* collect = imp::as<imp::Collect>(stmt);
    return collect != nullptr && collect->again;
  });
}

void collect_own_blocks(const imp::Body& body, std::unordered_set<core::Name>& own) {
  for (const imp::Stmt& stmt : body.stmts) {
    imp::for_each_binder(stmt, [&](core::Name name, const imp::Type& type, imp::BinderScope) {
      if (type.is_block()) own.insert(name);
    });
    imp::for_each_body(stmt, [&](const imp::Body& inner) { collect_own_blocks(inner, own); });
  }
}

}  // namespace

void emit_in_lanes(FunctionEmitter& f, const imp::For& loop) {
  VectorLoop(f, loop).run();
}

VectorLoop::VectorLoop(FunctionEmitter& f, const imp::For& loop)
    : f_(f),
      b_(f.b),
      loop_(loop),
      plan_(*loop.lanes),
      accessed_(imp::accessed_by(loop.body)),
      made_(imp::definitions_in(loop.body)) {
  collect_own_blocks(loop.body, own_blocks_);
}

void VectorLoop::run() {
  f_.next_chunk = collects_again(loop_) ? next_chunk_of(f_) : nullptr;
  if (plan_.register_bytes > static_cast<int>(f_.module.vector_bytes()))
    f_.use_wide_registers(plan_.register_bytes);
  if (const core::Name* begin = core::as_name(loop_.begin);
      begin != nullptr && f_.piece_begins.contains(begin->id))
    f_.piece_lanes = std::max(f_.piece_lanes, static_cast<unsigned>(plan_.lanes()));
  const bool once = plan_.groups.front().last == imp::LaneGroups::kOnce;
  if (!plan_.borders.empty() && !once) return run_stretches();
  begin_ = f_.value(loop_.begin);
  end_ = f_.value(loop_.end);
  repeat_ = f_.new_block("repeat");
  after_ = f_.new_block("after");
  position_ = f_.variable(b_.getInt64Ty());
  if (imp::has_large_arrays(loop_.body))
    scratch_mark_ =
        b_.CreateCall(f_.module.runtime("skald_rt_scratch_mark", b_.getInt64Ty(), {}), {});
  b_.CreateStore(begin_, position_);
  if (once) {
    VectorEmitter vectors(f_, plan_, static_cast<unsigned>(plan_.lanes()), repeat_);
    vectors.know(known_inside());
    vectors.group(loop_, begin_, nullptr);
  } else {
    if (plan_.align_store >= 0) align_first();
    main_groups();
    for (size_t k = 1; k < plan_.groups.size(); ++k) last_groups(plan_.groups[k], {});
  }
  b_.CreateBr(plan_.leaves_rest() ? repeat_ : after_);
  rest();
  b_.SetInsertPoint(after_);
}

// The groups of all lanes, once more for results that go past the caches.
void VectorLoop::main_groups() {
  if (plan_.streamed.empty()) return last_groups(plan_.groups.front(), {});
  llvm::BasicBlock* past_caches = f_.new_block("past_caches");
  llvm::BasicBlock* as_usual = f_.new_block("as_usual");
  llvm::BasicBlock* both = f_.new_block("both");
  b_.CreateCondBr(should_stream(), past_caches, as_usual);
  b_.SetInsertPoint(past_caches);
  last_groups(plan_.groups.front(), plan_.streamed);
  b_.CreateBr(both);
  b_.SetInsertPoint(as_usual);
  last_groups(plan_.groups.front(), {});
  b_.CreateBr(both);
  b_.SetInsertPoint(both);
}

void VectorLoop::last_groups(const imp::LaneGroups& groups,
                             const std::vector<core::Name>& streamed) {
  const bool again = groups.last == imp::LaneGroups::kAgain;
  this->groups(groups, {again ? b_.CreateSub(end_, begin_) : nullptr, end_, true},
               [&](VectorEmitter& vectors) { vectors.store_past_caches(streamed); });
}

void VectorLoop::groups(const imp::LaneGroups& groups, const Part& part,
                        const std::function<void(VectorEmitter&)>& prepare) {
  const auto size = static_cast<unsigned>(groups.lanes);
  const bool again = groups.last == imp::LaneGroups::kAgain;
  const bool masked = groups.last == imp::LaneGroups::kMasked;
  Value* can_repeat = nullptr;
  if (again)
    can_repeat = b_.CreateAnd(b_.CreateICmpSGE(part.length, b_.getInt64(size)), is_apart());
  llvm::BasicBlock* head = f_.new_block("groups");
  llvm::BasicBlock* inside = f_.new_block("group");
  llvm::BasicBlock* next = f_.new_block("next");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  Value* first = b_.CreateLoad(b_.getInt64Ty(), position_);
  Value* left = b_.CreateSub(part.end, first);
  Value* enough =
      masked ? b_.CreateICmpSLT(first, part.end) : b_.CreateICmpSGE(left, b_.getInt64(size));
  if (again)
    enough = b_.CreateOr(enough, b_.CreateAnd(can_repeat, b_.CreateICmpSLT(first, part.end)));
  b_.CreateCondBr(enough, inside, next);
  b_.SetInsertPoint(inside);
  f_.poll(loop_.mark);
  if (again)
    first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, first,
                                     b_.CreateSub(part.end, b_.getInt64(size)));
  VectorEmitter vectors(f_, plan_, size, repeat_);
  prepare(vectors);
  vectors.group(loop_, first, masked ? left : nullptr);
  Value* step = b_.getInt64(size);
  if (masked && !part.is_last) step = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, step);
  b_.CreateStore(b_.CreateAdd(first, step), position_);
  b_.CreateBr(head);
  b_.SetInsertPoint(next);
}

// One masked group up to where registers begin in memory.
void VectorLoop::align_first() {
  const imp::RowStore row = imp::row_store(loop_, static_cast<size_t>(plan_.align_store));
  llvm::BasicBlock* some = f_.new_block("unaligned");
  llvm::BasicBlock* next = f_.new_block("aligned");
  b_.CreateCondBr(b_.CreateICmpSLT(begin_, end_), some, next);
  b_.SetInsertPoint(some);
  VectorEmitter emitter(f_, plan_, static_cast<unsigned>(plan_.align_lanes), nullptr);
  Value* count = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateSub(end_, begin_),
                                          until_aligned(emitter, loop_, row, begin_));
  emitter.group(loop_, begin_, count);
  b_.CreateStore(b_.CreateAdd(begin_, count), position_);
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
}

bool VectorLoop::scalar_until(Value* end) {
  if (!repeat_->hasNPredecessorsOrMore(1)) {
    repeat_->eraseFromParent();
    return false;
  }
  b_.SetInsertPoint(repeat_);
  reset_scratch();
  Value* from = b_.CreateLoad(b_.getInt64Ty(), position_);
  f_.leave_scalar(
      f_.counted_loop(from, end, b_.getInt64(1), loop_.var, loop_.type, loop_.body, loop_.mark));
  return true;
}

void VectorLoop::rest() {
  if (!scalar_until(end_)) return;
  // What failed once fails again, if it is computed in the same way.  That this path does not come
  // back lets accumulators of a loop around this one stay in registers.
  if (!plan_.leaves_rest() && !plan_.inexact)
    f_.trap();
  else
    b_.CreateBr(after_);
}

void VectorLoop::reset_scratch() {
  if (scratch_mark_ != nullptr)
    b_.CreateCall(f_.module.runtime("skald_rt_scratch_reset", b_.getVoidTy(), {b_.getInt64Ty()}),
                  {scratch_mark_});
}

// Names that may lead to the same memory, such as two buffers that change places, mostly do not.
Value* VectorLoop::is_apart() {
  Value* result = b_.getTrue();
  std::unordered_set<uint64_t> asked;
  for (const core::Name w : accessed_.written)
    for (const core::Name r : accessed_.read) {
      const bool inner = own_blocks_.contains(w) || own_blocks_.contains(r);
      if (inner || !f_.aliases.may_overlap(w, r)) continue;
      if (asked.insert(uint64_t{w.id} << 32 | r.id).second)
        result = b_.CreateAnd(result, b_.CreateICmpNE(f_.data(w), f_.data(r)));
    }
  return result;
}

Value* VectorLoop::should_stream() {
  Value* result = is_apart();
  uint64_t bytes = 0;
  for (const imp::Stmt& stmt : loop_.body.stmts) {
    const auto* store = imp::as<imp::Store>(stmt);
    if (store == nullptr || std::ranges::find(plan_.streamed, store->block) == plan_.streamed.end())
      continue;
    bytes += static_cast<uint64_t>(prim_size(store->type));
    Value* first = b_.CreateGEP(memory_type(f_.module.context(), store->type),
                                f_.data(store->block), f_.value(loop_.begin));
    result = b_.CreateAnd(result, is_line(f_, first));
  }
  const auto least = static_cast<uint64_t>(f_.module.streamed_map());
  return b_.CreateAnd(result, b_.CreateICmpUGE(f_.range_count, b_.getInt64(least / bytes)));
}

}  // namespace skald::cpu
