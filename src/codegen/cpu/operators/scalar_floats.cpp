// SPDX-License-Identifier: Apache-2.0
// Operators on floats.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <utility>

#include "codegen/cpu/operators/scalar.h"
#include "codegen/cpu/operators/symbols.h"
#include "codegen/cpu/target/target.h"

namespace skald::cpu {

using core::BinOpKind;
using core::UnOpKind;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

Value* ScalarEmitter::widen(Value* a) {
  if (!a->getType()->getScalarType()->isHalfTy()) return a;
  return b_.CreateFPExt(a, like(a, b_.getFloatTy()));
}

Value* ScalarEmitter::narrow(Prim type, Value* a) {
  return type == Prim::kF16 ? b_.CreateFPTrunc(a, like(a, b_.getHalfTy())) : a;
}

namespace {

// A constant that is a number; a zero has the sign asked for.
bool is_number(const Value* x, bool positive_zero) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(x);
  if (constant != nullptr && x->getType()->isVectorTy()) constant = constant->getSplatValue();
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  if (number == nullptr || number->isNaN()) return false;
  return !number->isZero() || number->isNegative() != positive_zero;
}

}  // namespace

// A NaN loses, and -0 is smaller than +0.
Value* ScalarEmitter::min_max(bool is_min, Value* a, Value* b) {
  if (kIsArm64)
    return b_.CreateBinaryIntrinsic(is_min ? intrinsic::minnum : intrinsic::maxnum, a, b);
  // One instruction, if the second operand is a number and, where both are zeros, the right one.
  if (is_number(a, !is_min)) std::swap(a, b);
  if (is_number(b, !is_min))
    return b_.CreateSelect(is_min ? b_.CreateFCmpOLT(a, b) : b_.CreateFCmpOGT(a, b), a, b);
  llvm::Type* bits = like(a, b_.getIntNTy(a->getType()->getScalarSizeInBits()));
  Value* ia = b_.CreateBitCast(a, bits);
  Value* ib = b_.CreateBitCast(b, bits);
  // Equal operands differ at most in the sign of a zero.
  Value* equal =
      b_.CreateBitCast(is_min ? b_.CreateOr(ia, ib) : b_.CreateAnd(ia, ib), a->getType());
  Value* ordered = b_.CreateSelect(is_min ? b_.CreateFCmpOLT(a, b) : b_.CreateFCmpOGT(a, b), a, b);
  Value* result = b_.CreateSelect(b_.CreateFCmpOEQ(a, b), equal, ordered);
  result = b_.CreateSelect(b_.CreateFCmpUNO(b, b), a, result);
  return b_.CreateSelect(b_.CreateFCmpUNO(a, a), b, result);
}

Value* ScalarEmitter::float_binop(BinOpKind op, Prim type, Value* a, Value* b) {
  using enum BinOpKind;
  switch (op) {
    // One operation in f32 rounded to f16 is the correctly rounded operation on f16.
    case kAdd: return b_.CreateFAdd(a, b);
    case kSub: return b_.CreateFSub(a, b);
    case kMul: return b_.CreateFMul(a, b);
    case kDiv: return b_.CreateFDiv(a, b);
    case kMin: return narrow(type, min_max(true, widen(a), widen(b)));
    case kMax: return narrow(type, min_max(false, widen(a), widen(b)));
    case kCopysign: return b_.CreateBinaryIntrinsic(intrinsic::copysign, a, b);
    case kAtan2Pi: return call_operator(operator_symbol(op, type), type, type, {a, b});
    case kNextafter:
      if (type == Prim::kF16) return call_operator(operator_symbol(op, type), type, type, {a, b});
      break;
    default: break;
  }
  return call_libm(libm_name(op), type, {a, b});
}

Value* ScalarEmitter::float_unop(UnOpKind op, Prim type, Value* a) {
  using enum UnOpKind;
  llvm::Type* t = a->getType();
  switch (op) {
    case kNeg: return b_.CreateFNeg(a);
    case kAbs: return b_.CreateUnaryIntrinsic(intrinsic::fabs, a);
    case kSgn: {
      Value* zero = llvm::ConstantFP::get(t, 0.0);
      Value* one = llvm::ConstantFP::get(t, 1.0);
      Value* minus_one = llvm::ConstantFP::get(t, -1.0);
      Value* sign = b_.CreateSelect(b_.CreateFCmpOGT(a, zero), one,
                                    b_.CreateSelect(b_.CreateFCmpOLT(a, zero), minus_one, zero));
      return b_.CreateSelect(b_.CreateFCmpUNO(a, a), a, sign);
    }
    case kIsNan: return b_.CreateFCmpUNO(a, a);
    case kIsInf:
      return b_.CreateFCmpOEQ(b_.CreateUnaryIntrinsic(intrinsic::fabs, a),
                              llvm::ConstantFP::getInfinity(t));
    case kSqrt: return narrow(type, b_.CreateUnaryIntrinsic(intrinsic::sqrt, widen(a)));
    case kRsqrt: {
      Value* wide = type == Prim::kF64 ? a : b_.CreateFPExt(a, like(a, b_.getDoubleTy()));
      Value* result = b_.CreateFDiv(llvm::ConstantFP::get(wide->getType(), 1.0),
                                    b_.CreateUnaryIntrinsic(intrinsic::sqrt, wide));
      if (type == Prim::kF64) return result;
      return narrow(type, b_.CreateFPTrunc(result, like(result, b_.getFloatTy())));
    }
    case kCeil: return narrow(type, b_.CreateUnaryIntrinsic(intrinsic::ceil, widen(a)));
    case kFloor: return narrow(type, b_.CreateUnaryIntrinsic(intrinsic::floor, widen(a)));
    case kTrunc: return narrow(type, b_.CreateUnaryIntrinsic(intrinsic::trunc, widen(a)));
    case kRound: return narrow(type, b_.CreateUnaryIntrinsic(intrinsic::roundeven, widen(a)));
    default: break;
  }
  const std::string_view libm = libm_name(op);
  if (libm.empty()) return call_operator(operator_symbol(op, type), type, type, {a});
  return call_libm(libm, type, {a});
}

}  // namespace skald::cpu
