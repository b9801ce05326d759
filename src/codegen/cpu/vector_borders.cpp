// SPDX-License-Identifier: Apache-2.0
// Loops with comparisons of the index with a bound: the borders of stencils, the ends of arrays.
// Nearly all groups lie on one side of every border; for them the comparisons are scalars, and what
// depends on them is not divergent at all.
#include "codegen/cpu/vector_emitter.h"

namespace skald::cpu {

using llvm::Value;

// An operand as it is in the first lane.
Value* FunctionEmitter::value_before(const core::Operand& operand, const imp::For& loop,
                                     const imp::LanesAnalysis& analysis, Value* first) {
  const core::Name* name = core::as_name(operand);
  if (name != nullptr && *name == loop.var) return first;
  const imp::Exp* exp = name == nullptr ? nullptr : analysis.definition(*name);
  if (exp == nullptr) return value(operand);
  const auto again = [&](const core::Operand& o) { return value_before(o, loop, analysis, first); };
  if (const auto* e = std::get_if<core::Value>(exp)) return again(e->arg);
  if (const auto* e = std::get_if<core::Bitcast>(exp))
    return scalars_.bitcast(e->from, e->to, again(e->arg));
  if (const auto* e = std::get_if<core::Convert>(exp))
    return scalars_.convert(e->from, e->to, again(e->arg));
  const auto* e = std::get_if<core::BinOp>(exp);
  return scalars_.binop(e->op, e->type, again(e->lhs), again(e->rhs));
}

// One side grows by one from lane to lane: what is the same at both ends is so everywhere.
Value* FunctionEmitter::same_in_group(const imp::Border& border, const imp::For& loop,
                                      const imp::LanesAnalysis& analysis, Value* first,
                                      unsigned lanes) {
  const core::CmpOp& c = border.comparison;
  Value* low = value_before(border.linear_left ? c.lhs : c.rhs, loop, analysis, first);
  Value* bound = value_before(border.linear_left ? c.rhs : c.lhs, loop, analysis, first);
  Value* high = b_.CreateAdd(low, llvm::ConstantInt::get(low->getType(), lanes - 1));
  const auto less = [&](Value* a, Value* b) {
    return scalars_.cmpop(core::CmpOpKind::kLt, c.type, a, b);
  };
  Value* no_wrap = less(low, high);
  if (c.op == core::CmpOpKind::kEq || c.op == core::CmpOpKind::kNe)
    return b_.CreateAnd(no_wrap, b_.CreateOr(less(bound, low), less(high, bound)));
  const auto compare = [&](Value* v) {
    return border.linear_left ? scalars_.cmpop(c.op, c.type, v, bound)
                              : scalars_.cmpop(c.op, c.type, bound, v);
  };
  return b_.CreateAnd(no_wrap, b_.CreateICmpEQ(compare(low), compare(high)));
}

// Groups that a border goes through, and the last iterations, are scalar code; masked vector code
// if that is expensive.
void FunctionEmitter::simd_loop_with_borders(const imp::For& loop, const imp::LanesAnalysis& all,
                                             const imp::LanesAnalysis& inside,
                                             const std::vector<imp::Border>& borders,
                                             unsigned lanes) {
  Value* end = value(loop.end);
  llvm::AllocaInst* position = variable(b_.getInt64Ty());
  b_.CreateStore(value(loop.begin), position);
  Value* scratch_mark = nullptr;
  if (all.has_large_arrays())
    scratch_mark = b_.CreateCall(m_.runtime("skald_rt_scratch_mark", b_.getInt64Ty(), {}), {});
  llvm::BasicBlock* head = new_block("groups");
  llvm::BasicBlock* some = new_block("some");
  llvm::BasicBlock* whole = new_block("whole");
  llvm::BasicBlock* vector_group = new_block("group");
  llvm::BasicBlock* scalar_group = new_block("scalar_group");
  llvm::BasicBlock* after = new_block("after");
  const bool cheap = is_cheap_body(all.work());
  llvm::BasicBlock* other = cheap ? scalar_group : new_block("masked_group");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  Value* first = b_.CreateLoad(b_.getInt64Ty(), position);
  Value* left = b_.CreateSub(end, first);
  b_.CreateCondBr(b_.CreateICmpSLT(first, end), some, after);
  b_.SetInsertPoint(some);
  b_.CreateCondBr(b_.CreateICmpUGE(left, b_.getInt64(lanes)), whole, other);
  b_.SetInsertPoint(whole);
  Value* same = b_.getTrue();
  for (const imp::Border& border : borders)
    same = b_.CreateAnd(same, same_in_group(border, loop, all, first, lanes));
  b_.CreateCondBr(same, vector_group, other);
  b_.SetInsertPoint(vector_group);
  VectorEmitter(*this, inside, lanes, scalar_group).group(loop, first, nullptr);
  b_.CreateStore(b_.CreateAdd(first, b_.getInt64(lanes)), position);
  b_.CreateBr(head);
  // Where the group at `position` ends.
  const auto limit = [&](Value* from) {
    Value* size = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b_.CreateSub(end, from),
                                           b_.getInt64(lanes));
    return b_.CreateAdd(from, size);
  };
  if (!cheap) {
    b_.SetInsertPoint(other);
    Value* to = limit(first);
    VectorEmitter(*this, all, lanes, scalar_group).group(loop, first, b_.CreateSub(to, first));
    b_.CreateStore(to, position);
    b_.CreateBr(head);
  }
  if (scalar_group->hasNPredecessorsOrMore(1)) {
    b_.SetInsertPoint(scalar_group);
    if (scratch_mark != nullptr)
      b_.CreateCall(m_.runtime("skald_rt_scratch_reset", b_.getVoidTy(), {b_.getInt64Ty()}),
                    {scratch_mark});
    Value* to = limit(first);
    leave_scalar(counted_loop(first, to, b_.getInt64(1), loop.var, loop.type, loop.body));
    b_.CreateStore(to, position);
    b_.CreateBr(head);
  } else {
    scalar_group->eraseFromParent();
  }
  b_.SetInsertPoint(after);
}

}  // namespace skald::cpu
