// SPDX-License-Identifier: Apache-2.0
// Operators on integers; see vector_division.cpp for quotients of vectors.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/cpu/operators/scalar.h"
#include "codegen/cpu/operators/symbols.h"
#include "codegen/cpu/target/target.h"
#include "support/bug.h"

namespace skald::cpu {

using core::BinOpKind;
using core::UnOpKind;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

// 0 <= x && x < n is one comparison of unsigned numbers with max(n, 0), which mostly is the same in
// all iterations; and one of fewer bits, if x has been widened, before or after it is compared with
// 0.
Value* ScalarEmitter::in_range(Value* a, Value* b) {
  using namespace llvm::PatternMatch;
  Value *not_negative = nullptr, *x = nullptr, *n = nullptr;
  llvm::ICmpInst::Predicate lower, upper;
  if (!match(a, m_ICmp(lower, m_Zero(), m_Value(not_negative))) ||
      lower != llvm::ICmpInst::ICMP_SLE || !match(b, m_ICmp(upper, m_Value(x), m_Value(n))) ||
      upper != llvm::ICmpInst::ICMP_SLT)
    return nullptr;
  if (not_negative != x && !match(x, m_SExt(m_Specific(not_negative)))) return nullptr;
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  Value* in_all = vector == nullptr ? nullptr : llvm::getSplatValue(n);
  if (in_all != nullptr) n = in_all;
  llvm::Type* type = n->getType();
  Value* most = b_.CreateBinaryIntrinsic(intrinsic::smax, n, llvm::ConstantInt::get(type, 0));
  Value* narrow = nullptr;
  if (match(x, m_SExt(m_Value(narrow)))) {
    x = narrow;
    const unsigned bits = x->getType()->getScalarSizeInBits();
    // A negative index is at least so much as an unsigned number.
    Value* half = llvm::ConstantInt::get(type, uint64_t{1} << (bits - 1));
    most = b_.CreateBinaryIntrinsic(intrinsic::umin, most, half);
    llvm::Type* element = x->getType()->getScalarType();
    most = b_.CreateTrunc(most, in_all != nullptr ? element : x->getType());
  }
  if (in_all != nullptr) most = b_.CreateVectorSplat(vector->getNumElements(), most);
  return b_.CreateICmpULT(x, most);
}

ScalarEmitter::QuotRem ScalarEmitter::divide(Prim type, Value* a, Value* b) {
  if (Value* quot = vector_quotient(type, a, b))
    return {quot, b_.CreateSub(a, b_.CreateMul(quot, b))};
  if (Value* quot = quotient_by_invariant(type, a, b, Rounding::kToZero))
    return {quot, b_.CreateSub(a, b_.CreateMul(quot, b))};
  llvm::Type* t = a->getType();
  Value* zero = llvm::ConstantInt::get(t, 0);
  Value* one = llvm::ConstantInt::get(t, 1);
  // AArch64's instruction gives what we want where LLVM's own division is undefined.
  const bool fits = kIsArm64 && (t->isIntegerTy(32) || t->isIntegerTy(64));
  if (fits && !llvm::isa<llvm::Constant>(b)) {
    const intrinsic::ID op =
        is_unsigned_int(type) ? intrinsic::aarch64_udiv : intrinsic::aarch64_sdiv;
    Value* quot = b_.CreateIntrinsic(op, {t}, {a, b});
    return {quot, b_.CreateSub(a, b_.CreateMul(quot, b))};
  }
  Value* is_zero = b_.CreateICmpEQ(b, zero);
  if (is_unsigned_int(type)) {
    Value* divisor = b_.CreateSelect(is_zero, one, b);
    Value* quot = b_.CreateUDiv(a, divisor);
    Value* rem = b_.CreateSub(a, b_.CreateMul(quot, divisor));
    return {b_.CreateSelect(is_zero, zero, quot), b_.CreateSelect(is_zero, a, rem)};
  }
  // Dividing by 1 instead of -1 avoids the overflow; the quotient is negated afterwards.
  Value* is_minus_one = b_.CreateICmpEQ(b, llvm::ConstantInt::getAllOnesValue(t));
  Value* divisor = b_.CreateSelect(b_.CreateOr(is_zero, is_minus_one), one, b);
  Value* quot = b_.CreateSDiv(a, divisor);
  Value* rem = b_.CreateSub(a, b_.CreateMul(quot, divisor));
  quot = b_.CreateSelect(is_minus_one, b_.CreateNeg(a), quot);
  return {b_.CreateSelect(is_zero, zero, quot), b_.CreateSelect(is_zero, a, rem)};
}

Value* ScalarEmitter::mul_hi(Prim type, Value* a, Value* b) {
  const unsigned bits = a->getType()->getScalarSizeInBits();
  llvm::Type* wide = like(a, b_.getIntNTy(2 * bits));
  const bool is_signed = is_signed_int(type);
  Value* product = b_.CreateMul(is_signed ? b_.CreateSExt(a, wide) : b_.CreateZExt(a, wide),
                                is_signed ? b_.CreateSExt(b, wide) : b_.CreateZExt(b, wide));
  return b_.CreateTrunc(b_.CreateLShr(product, bits), a->getType());
}

Value* ScalarEmitter::int_binop(BinOpKind op, Prim type, Value* a, Value* b) {
  using enum BinOpKind;
  llvm::Type* t = a->getType();
  Value* zero = llvm::ConstantInt::get(t, 0);
  const bool is_signed = is_signed_int(type);
  const auto shift = [&](bool left) {
    Value* in_range =
        b_.CreateICmpULT(b, llvm::ConstantInt::get(t, static_cast<uint64_t>(prim_bits(type))));
    return b_.CreateSelect(in_range, left ? b_.CreateShl(a, b) : b_.CreateLShr(a, b), zero);
  };
  const auto arithmetic_shift = [&] {
    Value* most = llvm::ConstantInt::get(t, static_cast<uint64_t>(prim_bits(type) - 1));
    return b_.CreateAShr(a, b_.CreateBinaryIntrinsic(intrinsic::umin, b, most));
  };
  switch (op) {
    case kAdd: return b_.CreateAdd(a, b);
    case kSub: return b_.CreateSub(a, b);
    case kMul: return b_.CreateMul(a, b);
    case kQuot: return divide(type, a, b).quot;
    case kRem: return divide(type, a, b).rem;
    case kDiv:
    case kMod: {
      // Rounding down by a power of two needs no correction of the quotient.
      const llvm::APInt* power = nullptr;
      if (llvm::PatternMatch::match(b, llvm::PatternMatch::m_APInt(power)) && is_signed &&
          power->isPowerOf2() && power->isStrictlyPositive()) {
        if (op == kMod) return b_.CreateAnd(a, llvm::ConstantInt::get(t, *power - 1));
        return b_.CreateAShr(a, llvm::ConstantInt::get(t, power->logBase2()));
      }
      if (Value* quot = quotient_by_invariant(type, a, b, Rounding::kDown))
        return op == kDiv ? quot : b_.CreateSub(a, b_.CreateMul(quot, b));
      const QuotRem r = divide(type, a, b);
      if (!is_signed) return op == kDiv ? r.quot : r.rem;
      // The remainder is `a` where b = 0, and that must stay.
      Value* signs_differ = b_.CreateICmpSLT(b_.CreateXor(r.rem, b), zero);
      Value* adjust = b_.CreateAnd(b_.CreateICmpNE(r.rem, zero), signs_differ);
      adjust = b_.CreateAnd(adjust, b_.CreateICmpNE(b, zero));
      if (op == kMod) return b_.CreateAdd(r.rem, b_.CreateSelect(adjust, b, zero));
      return b_.CreateSub(r.quot, b_.CreateZExt(adjust, t));
    }
    case kPow: return call_operator(operator_symbol(op, type), type, type, {a, b});
    case kMin: return b_.CreateBinaryIntrinsic(is_signed ? intrinsic::smin : intrinsic::umin, a, b);
    case kMax: return b_.CreateBinaryIntrinsic(is_signed ? intrinsic::smax : intrinsic::umax, a, b);
    case kAnd:
      if (type == Prim::kBool)
        if (Value* both = in_range(a, b)) return both;
      return b_.CreateAnd(a, b);
    case kOr: return b_.CreateOr(a, b);
    case kXor: return b_.CreateXor(a, b);
    case kShl: return shift(true);
    case kShr: return is_signed ? arithmetic_shift() : shift(false);
    case kLshr: return shift(false);
    case kAshr: return arithmetic_shift();
    case kMulHi: return mul_hi(type, a, b);
    default: break;
  }
  SKALD_BUG("{} on integers", core::mnemonic(op));
}

Value* ScalarEmitter::int_unop(UnOpKind op, Prim type, Value* a) {
  using enum UnOpKind;
  llvm::Type* t = a->getType();
  Value* zero = llvm::ConstantInt::get(t, 0);
  const auto as_i32 = [&](Value* v) { return b_.CreateZExtOrTrunc(v, like(v, b_.getInt32Ty())); };
  switch (op) {
    case kNeg: return b_.CreateNeg(a);
    case kNot: return b_.CreateNot(a);
    case kAbs:
      if (!is_signed_int(type)) return a;
      return b_.CreateBinaryIntrinsic(intrinsic::abs, a, b_.getFalse());
    case kSgn: {
      if (!is_signed_int(type)) return b_.CreateZExt(b_.CreateICmpNE(a, zero), t);
      Value* positive = b_.CreateZExt(b_.CreateICmpSGT(a, zero), t);
      return b_.CreateSub(positive, b_.CreateZExt(b_.CreateICmpSLT(a, zero), t));
    }
    case kPopc: return as_i32(b_.CreateUnaryIntrinsic(intrinsic::ctpop, a));
    case kClz: return as_i32(b_.CreateBinaryIntrinsic(intrinsic::ctlz, a, b_.getFalse()));
    case kCtz: return as_i32(b_.CreateBinaryIntrinsic(intrinsic::cttz, a, b_.getFalse()));
    default: break;
  }
  SKALD_BUG("{} on integers", core::mnemonic(op));
}

}  // namespace skald::cpu
