// SPDX-License-Identifier: Apache-2.0
// Values, masks and scalar statements of vector code.
#include "codegen/cpu/vector/vector_emitter.h"

#include "imp/ir/visit.h"
#include "support/bug.h"

namespace skald::cpu {

using llvm::Value;

VectorEmitter::VectorEmitter(FunctionEmitter& f, const imp::LanesAnalysis& analysis, unsigned lanes,
                             int bytes, llvm::BasicBlock* repeat)
    : f_(f),
      b_(f.b_),
      analysis_(analysis),
      lanes_(lanes),
      mask_bits_(f.m_.vector_registers().bit_masks
                     ? 1
                     : 8 * static_cast<unsigned>(imp::common_width(analysis.work()))),
      register_bytes_(static_cast<unsigned>(bytes)),
      lanes_in_register_(static_cast<unsigned>(bytes / imp::common_width(analysis.work()))),
      repeat_(repeat) {}

// ---- values

llvm::Constant* VectorEmitter::lane_numbers(llvm::Type* element) {
  std::vector<llvm::Constant*> numbers;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    numbers.push_back(llvm::ConstantInt::get(element, lane));
  return llvm::ConstantVector::get(numbers);
}

VectorEmitter::Lanes VectorEmitter::lanes_of(const core::Operand& operand) {
  const core::Name* name = core::as_name(operand);
  const auto found = name == nullptr ? slots_.end() : slots_.find(name->id);
  if (found == slots_.end()) return {Shape::kUniform, f_.value(operand), nullptr};
  const Slot& slot = found->second;
  if (slot.variable == nullptr) return slot.value;
  Value* v = b_.CreateLoad(slot.variable->getAllocatedType(), slot.variable);
  return {Shape::kVarying, slot.type == Prim::kBool ? bits(v) : v, nullptr};
}

Value* VectorEmitter::vector(const Lanes& value) {
  if (value.shape == Shape::kVarying) return value.value;
  if (value.shape == Shape::kUniform) return splat(value.value);
  llvm::Constant* numbers = lane_numbers(value.value->getType());
  return b_.CreateAdd(splat(value.value), b_.CreateMul(numbers, splat(value.stride)));
}

// What has just been loaded is loaded again, which is cheaper than moving it out of a vector; and a
// lane is moved before it is widened.
Value* VectorEmitter::extract(Value* vector, unsigned lane) {
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(vector);
      cast != nullptr && (llvm::isa<llvm::SExtInst>(cast) || llvm::isa<llvm::ZExtInst>(cast)))
    return b_.CreateCast(cast->getOpcode(), extract(cast->getOperand(0), lane),
                         cast->getType()->getScalarType());
  auto* load = llvm::dyn_cast<llvm::LoadInst>(vector);
  if (load == nullptr || llvm::isa<llvm::AllocaInst>(load->getPointerOperand()))
    return b_.CreateExtractElement(vector, lane);
  llvm::Value*& known = reloaded_[{load, lane}];
  if (known == nullptr) {
    llvm::IRBuilder<> here(load->getParent(), std::next(load->getIterator()));
    llvm::Type* element = load->getType()->getScalarType();
    Value* address = here.CreateConstGEP1_64(element, load->getPointerOperand(), lane);
    llvm::LoadInst* one = here.CreateAlignedLoad(element, address, load->getAlign());
    one->copyMetadata(*load);
    known = one;
  }
  return known;
}

Value* VectorEmitter::in_lane(const Lanes& value, unsigned lane) {
  if (value.shape == Shape::kUniform) return value.value;
  if (value.shape == Shape::kVarying) return extract(value.value, lane);
  Value* number = llvm::ConstantInt::get(value.value->getType(), lane);
  return b_.CreateAdd(value.value, b_.CreateMul(value.stride, number));
}

void VectorEmitter::bind(core::Name name, Prim type, Lanes value) {
  if (value.shape == Shape::kUniform) return f_.bind(name, type, value.value);
  slots_[name.id] = Slot{.type = type, .value = value};
}

VectorEmitter::Lanes VectorEmitter::plus(const Lanes& a, const Lanes& b) {
  if (a.shape == Shape::kVarying || b.shape == Shape::kVarying)
    return {Shape::kVarying, b_.CreateAdd(vector(a), vector(b)), nullptr};
  Value* base = b_.CreateAdd(a.value, b.value);
  if (a.shape == Shape::kUniform) return {b.shape, base, b.stride};
  if (b.shape == Shape::kUniform) return {a.shape, base, a.stride};
  return {Shape::kLinear, base, b_.CreateAdd(a.stride, b.stride)};
}

VectorEmitter::Lanes VectorEmitter::times(const Lanes& a, Value* factor) {
  if (a.shape == Shape::kVarying)
    return {Shape::kVarying, b_.CreateMul(a.value, splat(factor)), nullptr};
  Value* stride = a.stride == nullptr ? nullptr : b_.CreateMul(a.stride, factor);
  return {a.shape, b_.CreateMul(a.value, factor), stride};
}

VectorEmitter::Lanes VectorEmitter::per_element(const Lanes& bytes, int size) {
  const auto divide = [&](Value* v) -> Value* {
    if (v == nullptr) return nullptr;
    return b_.CreateExactSDiv(v, llvm::ConstantInt::get(v->getType(), static_cast<uint64_t>(size)));
  };
  return {bytes.shape, divide(bytes.value), divide(bytes.stride)};
}

// An expression that the analysis calls linear: sums, products, choices that all lanes share.
VectorEmitter::Lanes VectorEmitter::linear(const imp::Exp& exp) {
  if (const auto* e = std::get_if<core::Value>(&exp)) return lanes_of(e->arg);
  const auto truncated = [&](const core::Operand& operand, Prim to) -> Lanes {
    const Lanes a = lanes_of(operand);
    llvm::Type* type = value_type(f_.m_.context(), to);
    return {a.shape, b_.CreateTrunc(a.value, type), b_.CreateTrunc(a.stride, type)};
  };
  if (const auto* e = std::get_if<core::Convert>(&exp)) {
    if (prim_size(e->to) <= prim_size(e->from)) return truncated(e->arg, e->to);
    // It does not wrap here, and counts by one.
    const Lanes a = lanes_of(e->arg);
    Value* one = llvm::ConstantInt::get(value_type(f_.m_.context(), e->to), 1);
    return {a.shape, f_.scalars_.convert(e->from, e->to, a.value), one};
  }
  if (const auto* e = std::get_if<core::Bitcast>(&exp)) return truncated(e->arg, e->to);
  if (const auto* e = std::get_if<core::Select>(&exp)) {
    const Lanes a = lanes_of(e->then), b = lanes_of(e->otherwise);
    Value* cond = scalar(e->cond);
    const auto stride = [](const Lanes& l) {
      return l.shape == Shape::kLinear ? l.stride
                                       : llvm::Constant::getNullValue(l.value->getType());
    };
    Value* step = stride(a) == stride(b) ? stride(a) : b_.CreateSelect(cond, stride(a), stride(b));
    return {Shape::kLinear, b_.CreateSelect(cond, a.value, b.value), step};
  }
  const auto* e = std::get_if<core::BinOp>(&exp);
  // A clamped value: the group is inside.
  if (e->op == core::BinOpKind::kMin || e->op == core::BinOpKind::kMax)
    return lanes_of(analysis_.is_uniform(e->lhs) ? e->rhs : e->lhs);
  SKALD_CHECK(e != nullptr, "a linear value that is no sum or product");
  const Lanes a = lanes_of(e->lhs), b = lanes_of(e->rhs);
  switch (e->op) {
    case core::BinOpKind::kAdd: return plus(a, b);
    case core::BinOpKind::kMul:
      return a.shape == Shape::kLinear ? times(a, b.value) : times(b, a.value);
    default: return plus(a, times(b, llvm::ConstantInt::getSigned(b.value->getType(), -1)));
  }
}

// i64 or u64 to f32.  No vector instruction does that in general, but counters are small nearly
// always, and those that fit into 32 bits have one.
Value* VectorEmitter::counter_to_f32(Prim from, const Lanes& a) {
  constexpr int64_t kSmall = int64_t{1} << 30, kSmallStep = int64_t{1} << 20;
  const bool is_signed = is_signed_int(from);
  const auto below = [&](Value* v, int64_t limit, bool both_sides) {
    if (!both_sides) return b_.CreateICmpULT(v, b_.getInt64(static_cast<uint64_t>(limit)));
    return b_.CreateICmpULT(b_.CreateAdd(v, b_.getInt64(static_cast<uint64_t>(limit))),
                            b_.getInt64(static_cast<uint64_t>(2 * limit)));
  };
  Value* fits = b_.CreateAnd(below(a.value, kSmall, is_signed), below(a.stride, kSmallStep, true));
  llvm::BasicBlock* small = f_.new_block("small");
  llvm::BasicBlock* large = f_.new_block("large");
  llvm::BasicBlock* after = f_.new_block("converted");
  b_.CreateCondBr(fits, small, large);
  const auto in_block = [&](llvm::BasicBlock* block, Prim type, const Lanes& lanes) {
    b_.SetInsertPoint(block);
    Value* result = f_.scalars_.convert(type, Prim::kF32, vector(lanes));
    llvm::BasicBlock* end = b_.GetInsertBlock();
    b_.CreateBr(after);
    return std::pair(result, end);
  };
  b_.SetInsertPoint(small);
  const Lanes narrow = {a.shape, b_.CreateTrunc(a.value, b_.getInt32Ty()),
                        b_.CreateTrunc(a.stride, b_.getInt32Ty())};
  const auto [quick, quick_end] = in_block(small, Prim::kI32, narrow);
  const auto [slow, slow_end] = in_block(large, from, a);
  b_.SetInsertPoint(after);
  llvm::PHINode* result = b_.CreatePHI(quick->getType(), 2);
  result->addIncoming(quick, quick_end);
  result->addIncoming(slow, slow_end);
  return result;
}

Value* VectorEmitter::varying(const imp::Exp& exp) {
  ScalarEmitter& ops = f_.scalars_;
  if (const auto* e = std::get_if<core::Value>(&exp)) return vector(e->arg);
  if (const auto* e = std::get_if<core::UnOp>(&exp))
    return ops.unop(e->op, e->type, vector(e->arg));
  if (const auto* e = std::get_if<core::BinOp>(&exp))
    return ops.binop(e->op, e->type, vector(e->lhs), vector(e->rhs));
  if (const auto* e = std::get_if<core::CmpOp>(&exp))
    return ops.cmpop(e->op, e->type, vector(e->lhs), vector(e->rhs));
  if (const auto* e = std::get_if<core::TernOp>(&exp))
    return ops.ternop(e->op, e->type, vector(e->a), vector(e->b), vector(e->c));
  if (const auto* e = std::get_if<core::Convert>(&exp)) {
    if (e->to == Prim::kF32 && is_int(e->from) && prim_size(e->from) == 8)
      if (const Lanes a = lanes_of(e->arg); a.shape == Shape::kLinear)
        return counter_to_f32(e->from, a);
    Value* const from = vector(e->arg);
    if (prim_size(e->to) == 1)
      if (const auto found = truncated_floats_.find(from); found != truncated_floats_.end())
        return ops.low_byte(found->second);
    Value* const to = ops.convert(e->from, e->to, from);
    if (e->from == Prim::kF32 && e->to == Prim::kI64) truncated_floats_[to] = from;
    return to;
  }
  if (const auto* e = std::get_if<core::Bitcast>(&exp))
    return ops.bitcast(e->from, e->to, vector(e->arg));
  const auto* e = std::get_if<core::Select>(&exp);
  const Lanes cond = lanes_of(e->cond);
  return b_.CreateSelect(cond.value, vector(e->then), vector(e->otherwise));
}

// ---- masks

Value* VectorEmitter::bits(Value* mask) {
  if (mask_bits_ == 1) return mask;
  return b_.CreateICmpSLT(mask, llvm::Constant::getNullValue(mask->getType()));
}

// The extreme lane of a mask, in a width that targets can reduce.
Value* VectorEmitter::reduce_mask(Value* mask, bool is_max) {
  const auto lanes_of_mask = [&] {
    return llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  };
  if (mask_bits_ == 1) {
    // What lies in several registers is combined before it is reduced.
    for (unsigned lanes = lanes_of_mask(); lanes > lanes_in_register_ && lanes % 2 == 0;
         lanes /= 2) {
      std::vector<int> half;
      for (unsigned lane = 0; lane < lanes / 2; ++lane) half.push_back(static_cast<int>(lane));
      Value* low = b_.CreateShuffleVector(mask, half);
      for (int& lane : half) lane += static_cast<int>(lanes / 2);
      Value* high = b_.CreateShuffleVector(mask, half);
      mask = is_max ? b_.CreateOr(low, high) : b_.CreateAnd(low, high);
    }
    return is_max ? b_.CreateOrReduce(mask) : b_.CreateAndReduce(mask);
  }
  if (mask->getType()->getScalarSizeInBits() == 64)
    mask = b_.CreateBitCast(mask, llvm::FixedVectorType::get(b_.getInt32Ty(), 2 * lanes_of_mask()));
  Value* extreme = is_max ? b_.CreateIntMaxReduce(mask, false) : b_.CreateIntMinReduce(mask, false);
  return b_.CreateICmpNE(extreme, llvm::ConstantInt::get(extreme->getType(), 0));
}

Value* VectorEmitter::any(Value* mask) {
  return reduce_mask(mask, true);
}

Value* VectorEmitter::all(Value* mask) {
  return reduce_mask(mask, false);
}

Value* VectorEmitter::and_mask(Value* cond) {
  Value* wide = widen(cond);
  return mask_ == nullptr ? wide : b_.CreateAnd(mask_, wide);
}

// ---- statements

void VectorEmitter::body(const imp::Body& body) {
  f_.open_scope();
  statements(body);
  f_.close_scope();
}

void VectorEmitter::statements(const imp::Body& body) {
  for (const imp::Stmt& s : body.stmts) imp::visit(s.node, [&](const auto& n) { stmt(n); });
}

void VectorEmitter::stmt(const imp::Let& n) {
  if (analysis_.is_border(n.name)) return f_.bind(n.name, n.type, known_.at(n.name.id));
  const Shape shape = analysis_.shape(n.name);
  if (shape == Shape::kUniform) return f_.stmt(n);
  bind(n.name, n.type,
       shape == Shape::kLinear ? linear(n.exp) : Lanes{shape, varying(n.exp), nullptr});
}

void VectorEmitter::stmt(const imp::Var& n) {
  if (analysis_.is_uniform(n.name)) return f_.stmt(n);
  Slot slot{.type = n.type, .context = context_};
  const bool is_bool = n.type == Prim::kBool;
  slot.variable =
      f_.variable(is_bool ? mask_type() : vector_type(value_type(f_.m_.context(), n.type)));
  Value* init = vector(n.init);
  b_.CreateStore(is_bool ? widen(init) : init, slot.variable);
  slots_[n.name.id] = slot;
}

void VectorEmitter::stmt(const imp::Assign& n) {
  if (analysis_.is_uniform(n.var)) return f_.stmt(n);
  const Slot& slot = slots_.at(n.var.id);
  Value* next = vector(n.value);
  const bool is_bool = slot.type == Prim::kBool;
  // Lanes that were not active when the variable was declared never read it.
  if (mask_ != nullptr && slot.context != context_) {
    Value* old = b_.CreateLoad(slot.variable->getAllocatedType(), slot.variable);
    if (is_bool) {
      // In the masks' own type, without a detour over i1.
      Value* kept = b_.CreateAnd(old, b_.CreateNot(mask_));
      b_.CreateStore(b_.CreateOr(kept, b_.CreateAnd(widen(next), mask_)), slot.variable);
      return;
    }
    next = b_.CreateSelect(bits(mask_), next, old);
  }
  b_.CreateStore(is_bool ? widen(next) : next, slot.variable);
}

}  // namespace skald::cpu
