// SPDX-License-Identifier: Apache-2.0
// Loops with comparisons of the index with a bound: the borders of stencils, the ends of arrays.
// The iterations are cut into stretches in which no comparison changes; there the comparisons are
// scalars, known before the stretch begins, and what depends on them is not divergent at all.
// Indices of 32 bits that are extended to 64 do not wrap inside a stretch, and so stay linear.
// Where an index is clamped (`max 0 (min (n-1) (i+1))`) and that changes it, scalar code runs.
//
//   begin     1                                        n-1   end        i == 0, i + 1 == n
//   |---------|-----------------------------------------|-----|
//    scalar    groups of all lanes, of few lanes              scalar
//
// The last group of few lanes runs again what the one before has done already, where that does not
// matter: it ends where the stretch ends.
#include "codegen/cpu/vector/loop.h"
#include "codegen/cpu/vector/statements.h"
#include "support/bug.h"

namespace skald::cpu {

using llvm::Value;

Value* VectorLoop::value_before(const core::Operand& operand, Value* first) {
  const core::Name* name = core::as_name(operand);
  if (name != nullptr && *name == loop_.var) return first;
  if (const auto inside = name == nullptr ? unclamped_.end() : unclamped_.find(*name);
      inside != unclamped_.end())
    return value_before(inside->second, first);
  const auto found = name == nullptr ? made_.end() : made_.find(*name);
  if (found == made_.end()) return f_.value(operand);
  const imp::Exp& exp = *found->second;
  const auto again = [&](const core::Operand& o) { return value_before(o, first); };
  if (const auto* e = std::get_if<core::Value>(&exp)) return again(e->arg);
  if (const auto* e = std::get_if<core::Bitcast>(&exp))
    return f_.scalars.bitcast(e->from, e->to, again(e->arg));
  if (const auto* e = std::get_if<core::Convert>(&exp))
    return f_.scalars.convert(e->from, e->to, again(e->arg));
  const auto* e = std::get_if<core::BinOp>(&exp);
  SKALD_CHECK(e != nullptr, "a border that is not known before its group");
  return f_.scalars.binop(e->op, e->type, again(e->lhs), again(e->rhs));
}

Value* VectorLoop::holds_before(const core::CmpOp& c, Value* first) {
  return f_.scalars.cmpop(c.op, c.type, value_before(c.lhs, first), value_before(c.rhs, first));
}

Value* VectorLoop::stretch(const imp::Border& border, Value* first) {
  const core::CmpOp& c = border.comparison;
  Value* low = value_before(border.linear_left ? c.lhs : c.rhs, first);
  Value* bound = value_before(border.linear_left ? c.rhs : c.lhs, first);
  const auto* type = llvm::cast<llvm::IntegerType>(low->getType());
  const unsigned bits = type->getBitWidth();
  Value* last = llvm::ConstantInt::get(low->getType(), is_signed_int(c.type)
                                                           ? llvm::APInt::getSignedMaxValue(bits)
                                                           : llvm::APInt::getMaxValue(bits));
  const auto distance = [&](Value* to) {
    return b_.CreateZExt(b_.CreateSub(to, low), b_.getInt64Ty());
  };
  // The linear side grows by one, and is smaller than before where it wraps.
  Value* none = distance(last);
  Value* to_bound = distance(bound);
  Value* below = f_.scalars.cmpop(core::CmpOpKind::kLt, c.type, low, bound);
  Value* same = nullptr;
  const bool equality = c.op == core::CmpOpKind::kEq || c.op == core::CmpOpKind::kNe;
  if (equality) {
    same = b_.CreateSelect(b_.CreateICmpEQ(low, bound), b_.getInt64(1),
                           b_.CreateSelect(below, to_bound, none));
  } else if ((c.op == core::CmpOpKind::kLt) == border.linear_left) {
    // linear < bound, or bound <= linear: it changes at the bound.
    same = b_.CreateSelect(below, to_bound, none);
  } else {
    Value* above = f_.scalars.cmpop(core::CmpOpKind::kLt, c.type, bound, low);
    same = b_.CreateSelect(above, none, b_.CreateAdd(to_bound, b_.getInt64(1)));
  }
  same = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, same, none);
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, same, b_.getInt64(1));
}

// A stretch in which two sides are equal is one iteration long, so in a group of several they are
// not: its branches need not ask.
Value* VectorLoop::known_in_group(const core::CmpOp& c, Value* holds) {
  if (c.op == core::CmpOpKind::kEq) return b_.getFalse();
  return c.op == core::CmpOpKind::kNe ? b_.getTrue() : holds;
}

VectorLoop::Known VectorLoop::known_inside() {
  const std::vector<imp::Border> borders = imp::borders_of(plan_, made_);
  for (const imp::Border& border : borders)
    if (border.kind == imp::Border::kClamps)
      unclamped_[border.name] = border.linear_left ? border.comparison.lhs : border.comparison.rhs;
  Known known;
  for (const imp::Border& border : borders)
    if (border.kind == imp::Border::kCompares)
      known[border.name.id] =
          known_in_group(border.comparison, holds_before(border.comparison, begin_));
  return known;
}

void VectorLoop::run_stretches() {
  end_ = f_.value(loop_.end);
  position_ = f_.variable(b_.getInt64Ty());
  b_.CreateStore(f_.value(loop_.begin), position_);
  if (imp::has_large_arrays(loop_.body))
    scratch_mark_ =
        b_.CreateCall(f_.module.runtime("skald_rt_scratch_mark", b_.getInt64Ty(), {}), {});
  llvm::BasicBlock* head = f_.new_block("stretches");
  llvm::BasicBlock* some = f_.new_block("stretch");
  repeat_ = f_.new_block("scalar");
  after_ = f_.new_block("after");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  Value* start = b_.CreateLoad(b_.getInt64Ty(), position_);
  b_.CreateCondBr(b_.CreateICmpSLT(start, end_), some, after_);
  b_.SetInsertPoint(some);
  Value* length = b_.CreateSub(end_, start);
  Known known, known_in_groups;
  Value* inside_clamps = nullptr;
  for (const imp::Border& border : imp::borders_of(plan_, made_)) {
    length = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, length, stretch(border, start));
    if (border.kind == imp::Border::kExtends) continue;
    const core::CmpOp& c = border.comparison;
    Value* holds = holds_before(c, start);
    if (border.kind == imp::Border::kClamps) {
      inside_clamps = inside_clamps == nullptr ? holds : b_.CreateAnd(inside_clamps, holds);
      continue;
    }
    known[border.name.id] = holds;
    known_in_groups[border.name.id] = known_in_group(c, holds);
  }
  Value* next = b_.CreateAdd(start, length);
  if (inside_clamps != nullptr) {
    llvm::BasicBlock* in_lanes = f_.new_block("inside");
    b_.CreateCondBr(inside_clamps, in_lanes, repeat_);
    b_.SetInsertPoint(in_lanes);
  }
  if (plan_.align_store >= 0) align_stretch(start, length, known_in_groups);
  for (const imp::LaneGroups& each : plan_.groups) {
    const bool single = each.last == imp::LaneGroups::kMasked || each.lanes == 1;
    groups(each, {length, next, false},
           [&](VectorEmitter& vectors) { vectors.know(single ? known : known_in_groups); });
  }
  b_.CreateBr(plan_.leaves_rest() ? repeat_ : head);
  rest_of_stretch(next, head);
  b_.SetInsertPoint(after_);
}

// A first group from where the stretch begins; the next one begins where a register does, and what
// lies in both runs twice.
void VectorLoop::align_stretch(Value* start, Value* length, const Known& known) {
  const imp::RowStore row = imp::row_store(loop_, static_cast<size_t>(plan_.align_store));
  const auto few = static_cast<unsigned>(plan_.align_lanes);
  llvm::BasicBlock* unaligned = f_.new_block("unaligned");
  llvm::BasicBlock* aligned = f_.new_block("aligned");
  const uint64_t enough = static_cast<uint64_t>(plan_.lanes()) + few;
  Value* is_long = b_.CreateICmpSGE(length, b_.getInt64(enough));
  b_.CreateCondBr(b_.CreateAnd(is_long, is_apart()), unaligned, aligned);
  b_.SetInsertPoint(unaligned);
  VectorEmitter emitter(f_, plan_, few, repeat_);
  emitter.know(known);
  Value* count = until_aligned(emitter, loop_, row, start);
  emitter.group(loop_, start, nullptr);
  b_.CreateStore(b_.CreateAdd(start, count), position_);
  b_.CreateBr(aligned);
  b_.SetInsertPoint(aligned);
}

void VectorLoop::rest_of_stretch(Value* next, llvm::BasicBlock* head) {
  if (!scalar_until(next)) return;
  b_.CreateStore(next, position_);
  b_.CreateBr(head);
}

}  // namespace skald::cpu
