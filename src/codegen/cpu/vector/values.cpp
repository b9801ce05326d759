// SPDX-License-Identifier: Apache-2.0
// Expressions and variables in lanes.
#include "codegen/cpu/vector/statements.h"
#include "imp/ir/visit.h"
#include "support/bug.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// An expression that the analysis calls linear: sums, products, choices that all lanes share.
Lanes linear(VectorEmitter& vec, const imp::Exp& exp) {
  if (const auto* e = std::get_if<core::Value>(&exp)) return vec.lanes_of(e->arg);
  const auto truncated = [&](const core::Operand& operand, Prim to) -> Lanes {
    const Lanes a = vec.lanes_of(operand);
    llvm::Type* type = value_type(vec.f.module.context(), to);
    return {a.shape, vec.b.CreateTrunc(a.value, type), vec.b.CreateTrunc(a.stride, type)};
  };
  if (const auto* e = std::get_if<core::Convert>(&exp)) {
    if (prim_size(e->to) <= prim_size(e->from)) return truncated(e->arg, e->to);
    // It does not wrap here, and counts by one.
    const Lanes a = vec.lanes_of(e->arg);
    Value* one = llvm::ConstantInt::get(value_type(vec.f.module.context(), e->to), 1);
    return {a.shape, vec.f.scalars.convert(e->from, e->to, a.value), one};
  }
  if (const auto* e = std::get_if<core::Bitcast>(&exp)) return truncated(e->arg, e->to);
  if (const auto* e = std::get_if<core::Select>(&exp)) {
    const Lanes a = vec.lanes_of(e->then), b = vec.lanes_of(e->otherwise);
    Value* cond = vec.scalar(e->cond);
    const auto stride = [](const Lanes& l) {
      return l.shape == Shape::kLinear ? l.stride
                                       : llvm::Constant::getNullValue(l.value->getType());
    };
    Value* step =
        stride(a) == stride(b) ? stride(a) : vec.b.CreateSelect(cond, stride(a), stride(b));
    return {Shape::kLinear, vec.b.CreateSelect(cond, a.value, b.value), step};
  }
  const auto* e = std::get_if<core::BinOp>(&exp);
  // A clamped value: the group is inside.
  if (e->op == core::BinOpKind::kMin || e->op == core::BinOpKind::kMax)
    return vec.lanes_of(vec.is_uniform(e->lhs) ? e->rhs : e->lhs);
  SKALD_CHECK(e != nullptr, "a linear value that is no sum or product");
  const Lanes a = vec.lanes_of(e->lhs), b = vec.lanes_of(e->rhs);
  switch (e->op) {
    case core::BinOpKind::kAdd: return vec.plus(a, b);
    case core::BinOpKind::kMul:
      return a.shape == Shape::kLinear ? vec.times(a, b.value) : vec.times(b, a.value);
    default: return vec.plus(a, vec.times(b, llvm::ConstantInt::getSigned(b.value->getType(), -1)));
  }
}

// i64 or u64 to f32.  No vector instruction does that in general, but counters are small nearly
// always, and those that fit into 32 bits have one.
Value* counter_to_f32(VectorEmitter& vec, Prim from, const Lanes& a) {
  constexpr int64_t kSmall = int64_t{1} << 30, kSmallStep = int64_t{1} << 20;
  const bool is_signed = is_signed_int(from);
  const auto below = [&](Value* v, int64_t limit, bool both_sides) {
    if (!both_sides) return vec.b.CreateICmpULT(v, vec.b.getInt64(static_cast<uint64_t>(limit)));
    return vec.b.CreateICmpULT(vec.b.CreateAdd(v, vec.b.getInt64(static_cast<uint64_t>(limit))),
                               vec.b.getInt64(static_cast<uint64_t>(2 * limit)));
  };
  Value* fits =
      vec.b.CreateAnd(below(a.value, kSmall, is_signed), below(a.stride, kSmallStep, true));
  llvm::BasicBlock* small = vec.f.new_block("small");
  llvm::BasicBlock* large = vec.f.new_block("large");
  llvm::BasicBlock* after = vec.f.new_block("converted");
  vec.b.CreateCondBr(fits, small, large);
  const auto in_block = [&](llvm::BasicBlock* block, Prim type, const Lanes& lanes) {
    vec.b.SetInsertPoint(block);
    Value* result = vec.f.scalars.convert(type, Prim::kF32, vec.vector(lanes));
    llvm::BasicBlock* end = vec.b.GetInsertBlock();
    vec.b.CreateBr(after);
    return std::pair(result, end);
  };
  vec.b.SetInsertPoint(small);
  const Lanes narrow = {a.shape, vec.b.CreateTrunc(a.value, vec.b.getInt32Ty()),
                        vec.b.CreateTrunc(a.stride, vec.b.getInt32Ty())};
  const auto [quick, quick_end] = in_block(small, Prim::kI32, narrow);
  const auto [slow, slow_end] = in_block(large, from, a);
  vec.b.SetInsertPoint(after);
  llvm::PHINode* result = vec.b.CreatePHI(quick->getType(), 2);
  result->addIncoming(quick, quick_end);
  result->addIncoming(slow, slow_end);
  return result;
}

Value* varying(VectorEmitter& vec, const imp::Exp& exp) {
  ScalarEmitter& ops = vec.f.scalars;
  if (const auto* e = std::get_if<core::Value>(&exp)) return vec.vector(e->arg);
  if (const auto* e = std::get_if<core::UnOp>(&exp))
    return ops.unop(e->op, e->type, vec.vector(e->arg));
  if (const auto* e = std::get_if<core::BinOp>(&exp))
    return ops.binop(e->op, e->type, vec.vector(e->lhs), vec.vector(e->rhs));
  if (const auto* e = std::get_if<core::CmpOp>(&exp))
    return ops.cmpop(e->op, e->type, vec.vector(e->lhs), vec.vector(e->rhs));
  if (const auto* e = std::get_if<core::TernOp>(&exp))
    return ops.ternop(e->op, e->type, vec.vector(e->a), vec.vector(e->b), vec.vector(e->c));
  if (const auto* e = std::get_if<core::Convert>(&exp)) {
    if (e->to == Prim::kF32 && is_int(e->from) && prim_size(e->from) == 8)
      if (const Lanes a = vec.lanes_of(e->arg); a.shape == Shape::kLinear)
        return counter_to_f32(vec, e->from, a);
    Value* const from = vec.vector(e->arg);
    if (prim_size(e->to) == 1)
      if (const auto found = vec.truncated_floats.find(from); found != vec.truncated_floats.end())
        return ops.low_byte(found->second);
    Value* const to = ops.convert(e->from, e->to, from);
    if (e->from == Prim::kF32 && e->to == Prim::kI64) vec.truncated_floats[to] = from;
    return to;
  }
  if (const auto* e = std::get_if<core::Bitcast>(&exp))
    return ops.bitcast(e->from, e->to, vec.vector(e->arg));
  const auto* e = std::get_if<core::Select>(&exp);
  const Lanes cond = vec.lanes_of(e->cond);
  return vec.b.CreateSelect(cond.value, vec.vector(e->then), vec.vector(e->otherwise));
}

}  // namespace

void emit_lanes(VectorEmitter& vec, const imp::Let& n) {
  switch (n.shape) {
    case Shape::kUniform: return emit_stmt(vec.f, n);
    case Shape::kBorder: return vec.f.bind(n.name, n.type, vec.known.at(n.name.id));
    case Shape::kLinear: return vec.bind(n.name, n.type, linear(vec, n.exp));
    case Shape::kVarying:
      return vec.bind(n.name, n.type, {Shape::kVarying, varying(vec, n.exp), nullptr});
  }
}

void emit_lanes(VectorEmitter& vec, const imp::Var& n) {
  if (n.shape == Shape::kUniform) return emit_stmt(vec.f, n);
  LaneSlot slot{.type = n.type, .context = vec.context};
  const bool is_bool = n.type == Prim::kBool;
  slot.variable = vec.f.variable(
      is_bool ? vec.mask_type() : vec.vector_type(value_type(vec.f.module.context(), n.type)));
  Value* init = vec.vector(n.init);
  vec.b.CreateStore(is_bool ? vec.widen(init) : init, slot.variable);
  vec.slots[n.name.id] = slot;
}

void emit_lanes(VectorEmitter& vec, const imp::Assign& n) {
  if (vec.is_uniform(n.var)) return emit_stmt(vec.f, n);
  const LaneSlot& slot = vec.slots.at(n.var.id);
  Value* next = vec.vector(n.value);
  const bool is_bool = slot.type == Prim::kBool;
  // Lanes that were not active when the variable was declared never read it.
  if (vec.mask != nullptr && slot.context != vec.context) {
    Value* old = vec.b.CreateLoad(slot.variable->getAllocatedType(), slot.variable);
    if (is_bool) {
      // In the masks' own type, without a detour over i1.
      Value* kept = vec.b.CreateAnd(old, vec.b.CreateNot(vec.mask));
      vec.b.CreateStore(vec.b.CreateOr(kept, vec.b.CreateAnd(vec.widen(next), vec.mask)),
                        slot.variable);
      return;
    }
    next = vec.b.CreateSelect(vec.bits(vec.mask), next, old);
  }
  vec.b.CreateStore(is_bool ? vec.widen(next) : next, slot.variable);
}

}  // namespace skald::cpu
