// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/operators/scalar.h"

#include <llvm/IR/Intrinsics.h>

#include "support/bug.h"

namespace skald::cpu {

using core::BinOpKind;
using core::CmpOpKind;
using core::TernOpKind;
using core::UnOpKind;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

llvm::Type* value_type(llvm::LLVMContext& ctx, Prim type) {
  switch (type) {
    case Prim::kBool: return llvm::Type::getInt1Ty(ctx);
    case Prim::kF16: return llvm::Type::getHalfTy(ctx);
    case Prim::kF32: return llvm::Type::getFloatTy(ctx);
    case Prim::kF64: return llvm::Type::getDoubleTy(ctx);
    default: return llvm::Type::getIntNTy(ctx, static_cast<unsigned>(prim_bits(type)));
  }
}

llvm::Type* memory_type(llvm::LLVMContext& ctx, Prim type) {
  return type == Prim::kBool ? llvm::Type::getInt8Ty(ctx) : value_type(ctx, type);
}

llvm::Constant* constant(llvm::LLVMContext& ctx, const core::Const& c) {
  llvm::Type* type = value_type(ctx, c.type);
  if (!is_float(c.type)) return llvm::ConstantInt::get(type, c.bits);
  const llvm::APInt bits(static_cast<unsigned>(prim_bits(c.type)), c.bits);
  return llvm::ConstantFP::get(ctx, llvm::APFloat(type->getFltSemantics(), bits));
}

llvm::Type* like(const Value* v, llvm::Type* element) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
  return vector == nullptr ? element
                           : llvm::FixedVectorType::get(element, vector->getNumElements());
}

Value* to_bits(llvm::IRBuilder<>& b, Prim type, Value* value) {
  if (is_float(type))
    value =
        b.CreateBitCast(value, like(value, b.getIntNTy(static_cast<unsigned>(prim_bits(type)))));
  return b.CreateZExt(value, like(value, b.getInt64Ty()));
}

Value* from_bits(llvm::IRBuilder<>& b, Prim type, Value* bits) {
  llvm::Type* same_size = b.getIntNTy(static_cast<unsigned>(prim_bits(type)));
  Value* narrow = b.CreateTrunc(bits, like(bits, same_size));
  if (!is_float(type)) return narrow;
  return b.CreateBitCast(narrow, like(bits, value_type(b.getContext(), type)));
}

Value* ScalarEmitter::unop(UnOpKind op, Prim type, Value* a) {
  if (type == Prim::kBool) return b_.CreateNot(a);
  return is_float(type) ? float_unop(op, type, a) : int_unop(op, type, a);
}

Value* ScalarEmitter::binop(BinOpKind op, Prim type, Value* a, Value* b) {
  return is_float(type) ? float_binop(op, type, a, b) : int_binop(op, type, a, b);
}

Value* ScalarEmitter::cmpop(CmpOpKind op, Prim type, Value* a, Value* b) {
  using P = llvm::CmpInst::Predicate;
  const bool is_signed = is_signed_int(type);
  const auto compare = [&](P on_float, P on_signed, P on_unsigned) {
    if (is_float(type)) return b_.CreateFCmp(on_float, a, b);
    return b_.CreateICmp(is_signed ? on_signed : on_unsigned, a, b);
  };
  switch (op) {
    case CmpOpKind::kEq: return compare(P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ);
    case CmpOpKind::kNe: return compare(P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE);
    case CmpOpKind::kLt: return compare(P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT);
    case CmpOpKind::kLe: return compare(P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE);
  }
  SKALD_BUG("an unknown comparison");
}

Value* ScalarEmitter::ternop(TernOpKind op, Prim type, Value* a, Value* b, Value* c) {
  switch (op) {
    case TernOpKind::kMadHi: return b_.CreateAdd(mul_hi(type, a, b), c);
    case TernOpKind::kMad:
      return narrow(type, b_.CreateFAdd(b_.CreateFMul(widen(a), widen(b)), widen(c)));
    case TernOpKind::kLerp: {
      Value* difference = b_.CreateFSub(widen(b), widen(a));
      return narrow(type, b_.CreateFAdd(widen(a), b_.CreateFMul(difference, widen(c))));
    }
    case TernOpKind::kFma:
      if (type == Prim::kF16) {
        // The product of two halves is exact in f64.
        llvm::Type* f64 = like(a, b_.getDoubleTy());
        Value* product = b_.CreateFMul(b_.CreateFPExt(a, f64), b_.CreateFPExt(b, f64));
        return to_half(b_.CreateFAdd(product, b_.CreateFPExt(c, f64)));
      }
      return b_.CreateIntrinsic(intrinsic::fma, {a->getType()}, {a, b, c});
  }
  SKALD_BUG("an unknown operator on three operands");
}

}  // namespace skald::cpu
