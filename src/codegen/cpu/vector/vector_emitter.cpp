// SPDX-License-Identifier: Apache-2.0
// Values and masks of vector code.
#include "codegen/cpu/vector/vector_emitter.h"

#include <llvm/IR/MDBuilder.h>

#include "codegen/cpu/vector/statements.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

VectorEmitter::VectorEmitter(FunctionEmitter& f, const imp::LanePlan& plan, unsigned lanes,
                             llvm::BasicBlock* repeat)
    : f(f),
      b(f.b),
      plan(plan),
      lane_count(lanes),
      mask_bits(f.module.vector_registers().bit_masks ? 1
                                                      : 8 * static_cast<unsigned>(plan.mask_bytes)),
      lanes_in_register(static_cast<unsigned>(plan.register_bytes / plan.mask_bytes)),
      repeat(repeat) {}

void VectorEmitter::group(const imp::For& loop, Value* first, Value* active) {
  const bool whole = lane_count == static_cast<unsigned>(plan.lanes());
  if (plan.first_stage > 0 && whole && active == nullptr)
    return group_in_stages(*this, loop, first);
  fetches_ahead = plan.fetch_ahead;
  slots.clear();
  context = contexts = 0;
  mask = nullptr;
  if (active != nullptr) {
    llvm::Type* element = b.getIntNTy(std::max(mask_bits, 8U));
    // No number of lanes is larger than what fits into eight bits.
    Value* count = b.CreateTrunc(
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, active, b.getInt64(lane_count)), element);
    mask = widen(b.CreateICmpULT(lane_numbers(element), splat(count)));
  }
  bind(loop.var, loop.type, {Shape::kLinear, first, b.getInt64(1)});
  body(loop.body);
}

// ---- values

llvm::Constant* VectorEmitter::lane_numbers(llvm::Type* element) {
  std::vector<llvm::Constant*> numbers;
  for (unsigned lane = 0; lane < lane_count; ++lane)
    numbers.push_back(llvm::ConstantInt::get(element, lane));
  return llvm::ConstantVector::get(numbers);
}

Lanes VectorEmitter::lanes_of(const core::Operand& operand) {
  const core::Name* name = core::as_name(operand);
  const auto found = name == nullptr ? slots.end() : slots.find(name->id);
  if (found == slots.end()) return {Shape::kUniform, f.value(operand), nullptr};
  const LaneSlot& slot = found->second;
  if (slot.variable == nullptr) return slot.value;
  Value* v = b.CreateLoad(slot.variable->getAllocatedType(), slot.variable);
  return {Shape::kVarying, slot.type == Prim::kBool ? bits(v) : v, nullptr};
}

Shape VectorEmitter::shape_of(const core::Operand& operand) const {
  const core::Name* name = core::as_name(operand);
  const auto found = name == nullptr ? slots.end() : slots.find(name->id);
  if (found == slots.end()) return Shape::kUniform;
  return found->second.variable != nullptr ? Shape::kVarying : found->second.value.shape;
}

Value* VectorEmitter::vector(const Lanes& value) {
  if (value.shape == Shape::kVarying) return value.value;
  if (value.shape == Shape::kUniform) return splat(value.value);
  llvm::Constant* numbers = lane_numbers(value.value->getType());
  return b.CreateAdd(splat(value.value), b.CreateMul(numbers, splat(value.stride)));
}

// What has just been loaded is loaded again, which is cheaper than moving it out of a vector; and a
// lane is moved before it is widened.
Value* VectorEmitter::extract(Value* vector, unsigned lane) {
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(vector);
      cast != nullptr && (llvm::isa<llvm::SExtInst>(cast) || llvm::isa<llvm::ZExtInst>(cast)))
    return b.CreateCast(cast->getOpcode(), extract(cast->getOperand(0), lane),
                        cast->getType()->getScalarType());
  auto* load = llvm::dyn_cast<llvm::LoadInst>(vector);
  if (load == nullptr || llvm::isa<llvm::AllocaInst>(load->getPointerOperand()))
    return b.CreateExtractElement(vector, lane);
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
  return b.CreateAdd(value.value, b.CreateMul(value.stride, number));
}

void VectorEmitter::bind(core::Name name, Prim type, Lanes value) {
  if (value.shape == Shape::kUniform) return f.bind(name, type, value.value);
  slots[name.id] = LaneSlot{.type = type, .value = value};
}

Lanes VectorEmitter::plus(const Lanes& x, const Lanes& y) {
  if (x.shape == Shape::kVarying || y.shape == Shape::kVarying)
    return {Shape::kVarying, b.CreateAdd(vector(x), vector(y)), nullptr};
  Value* base = b.CreateAdd(x.value, y.value);
  if (x.shape == Shape::kUniform) return {y.shape, base, y.stride};
  if (y.shape == Shape::kUniform) return {x.shape, base, x.stride};
  return {Shape::kLinear, base, b.CreateAdd(x.stride, y.stride)};
}

Lanes VectorEmitter::times(const Lanes& a, Value* factor) {
  if (a.shape == Shape::kVarying)
    return {Shape::kVarying, b.CreateMul(a.value, splat(factor)), nullptr};
  Value* stride = a.stride == nullptr ? nullptr : b.CreateMul(a.stride, factor);
  return {a.shape, b.CreateMul(a.value, factor), stride};
}

Lanes VectorEmitter::per_element(const Lanes& bytes, int size) {
  const auto divide = [&](Value* v) -> Value* {
    if (v == nullptr) return nullptr;
    return b.CreateExactSDiv(v, llvm::ConstantInt::get(v->getType(), static_cast<uint64_t>(size)));
  };
  return {bytes.shape, divide(bytes.value), divide(bytes.stride)};
}

// ---- masks

Value* VectorEmitter::bits(Value* mask) {
  if (mask_bits == 1) return mask;
  return b.CreateICmpSLT(mask, llvm::Constant::getNullValue(mask->getType()));
}

// The extreme lane of a mask, in a width that targets can reduce.
Value* VectorEmitter::reduce_mask(Value* mask, bool is_max) {
  const auto lanes_of_mask = [&] {
    return llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  };
  if (mask_bits == 1) {
    // What lies in several registers is combined before it is reduced.
    for (unsigned lanes = lanes_of_mask(); lanes > lanes_in_register && lanes % 2 == 0;
         lanes /= 2) {
      std::vector<int> half;
      for (unsigned lane = 0; lane < lanes / 2; ++lane) half.push_back(static_cast<int>(lane));
      Value* low = b.CreateShuffleVector(mask, half);
      for (int& lane : half) lane += static_cast<int>(lanes / 2);
      Value* high = b.CreateShuffleVector(mask, half);
      mask = is_max ? b.CreateOr(low, high) : b.CreateAnd(low, high);
    }
    return is_max ? b.CreateOrReduce(mask) : b.CreateAndReduce(mask);
  }
  if (mask->getType()->getScalarSizeInBits() == 64)
    mask = b.CreateBitCast(mask, llvm::FixedVectorType::get(b.getInt32Ty(), 2 * lanes_of_mask()));
  Value* extreme = is_max ? b.CreateIntMaxReduce(mask, false) : b.CreateIntMinReduce(mask, false);
  return b.CreateICmpNE(extreme, llvm::ConstantInt::get(extreme->getType(), 0));
}

Value* VectorEmitter::any(Value* mask) {
  return reduce_mask(mask, true);
}

Value* VectorEmitter::all(Value* mask) {
  return reduce_mask(mask, false);
}

Value* VectorEmitter::and_mask(Value* cond) {
  Value* wide = widen(cond);
  return mask == nullptr ? wide : b.CreateAnd(mask, wide);
}

// ---- statements

void VectorEmitter::body(const imp::Body& body) {
  f.open_scope();
  statements(body);
  f.close_scope();
}

void VectorEmitter::statements(const imp::Body& body) {
  for (const imp::Stmt& s : body.stmts)
    imp::visit(s.node, [&](const auto& n) { emit_lanes(*this, n); });
}

void VectorEmitter::divergent_body(const imp::Body& inner, Value* active) {
  const int outer_context = std::exchange(context, ++contexts);
  Value* outer_mask = std::exchange(mask, active);
  body(inner);
  mask = outer_mask;
  context = outer_context;
}

void VectorEmitter::repeat_unless(Value* fine) {
  llvm::BasicBlock* go_on = f.new_block("checked");
  b.CreateCondBr(fine, go_on, repeat,
                 llvm::MDBuilder(f.module.context()).createLikelyBranchWeights());
  b.SetInsertPoint(go_on);
}

}  // namespace skald::cpu
