// SPDX-License-Identifier: Apache-2.0
// Division of vectors of integers; no machine of ours has an instruction for it.
//
//   all lanes share the divisor    a product with a multiplier that scalar code computes, mostly
//                                  once before the loop (Granlund and Montgomery, "Division by
//                                  invariant integers using multiplication", figure 4.1)
//   otherwise                      division of floats with at least twice as many bits: a quotient
//                                  of n-bit integers that is no integer is at least 1 / 2^n of its
//                                  size away from the next one, so rounding does not reach it
//   8 and 16 bits by a constant    in 32 bits, where LLVM would do it lane by lane (AArch64)
//   64 bits                        where they convert to f64 and back in vectors: estimates that
//                                  are never too large, by the rounded reciprocal of the divisor;
//                                  by a power of two LLVM makes shifts of it
//
// The quotient by 0 is 0, and that of the least integer by -1 wraps, as everywhere in imp.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <bit>

#include "codegen/cpu/operators/scalar.h"

namespace skald::cpu {

using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

// The quotient of vectors of unsigned 32-bit integers by a scalar.  None of what is computed from
// the divisor alone can trap, so that it can be moved out of loops.
Value* ScalarEmitter::unsigned_by_scalar(Value* n, Value* divisor) {
  llvm::Type* i32 = b_.getInt32Ty();
  llvm::Type* i64 = b_.getInt64Ty();
  Value* is_zero = b_.CreateICmpEQ(divisor, b_.getInt32(0));
  // 2^(length - 1) < divisor <= 2^length; 32 if it is 0.
  Value* zeros = b_.CreateBinaryIntrinsic(intrinsic::ctlz, b_.CreateSub(divisor, b_.getInt32(1)),
                                          b_.getFalse());
  Value* length = b_.CreateSub(b_.getInt32(32), zeros);
  Value* d = b_.CreateZExt(b_.CreateBinaryIntrinsic(intrinsic::umax, divisor, b_.getInt32(1)), i64);
  // The multiplier is floor(2^32 * (2^length - d) / d) + 1, and less than 2^32.  The quotient of
  // floats is off by less than one.
  Value* power = b_.CreateShl(b_.getInt64(1), b_.CreateZExt(length, i64));
  Value* x = b_.CreateShl(b_.CreateSub(power, d), b_.getInt64(32));
  Value* estimate = b_.CreateFPToUI(
      b_.CreateFDiv(b_.CreateUIToFP(x, b_.getDoubleTy()), b_.CreateUIToFP(d, b_.getDoubleTy())),
      i64);
  Value* rest = b_.CreateSub(x, b_.CreateMul(estimate, d));
  Value* too_small = b_.CreateZExt(b_.CreateICmpSGE(rest, d), i64);
  Value* too_large = b_.CreateZExt(b_.CreateICmpSLT(rest, b_.getInt64(0)), i64);
  Value* exact = b_.CreateSub(b_.CreateAdd(estimate, too_small), too_large);
  Value* multiplier = b_.CreateTrunc(b_.CreateAdd(exact, b_.getInt64(1)), i32);
  multiplier = b_.CreateSelect(is_zero, b_.getInt32(0), multiplier);
  Value* shift1 = b_.CreateBinaryIntrinsic(intrinsic::umin, length, b_.getInt32(1));
  Value* shift2 = b_.CreateSub(length, shift1);

  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(n->getType())->getNumElements();
  const auto splat = [&](Value* v) { return b_.CreateVectorSplat(lanes, v); };
  Value* high = mul_hi(Prim::kU32, n, splat(multiplier));
  Value* half = b_.CreateLShr(b_.CreateSub(n, high), splat(shift1));
  return b_.CreateLShr(b_.CreateAdd(high, half), splat(shift2));
}

Value* ScalarEmitter::quotient_by_scalar(Prim type, Value* a, Value* divisor) {
  llvm::Type* i32 = b_.getInt32Ty();
  llvm::Type* wide = like(a, i32);
  if (is_unsigned_int(type))
    return b_.CreateTrunc(unsigned_by_scalar(b_.CreateZExt(a, wide), b_.CreateZExt(divisor, i32)),
                          a->getType());
  Value* n = b_.CreateSExt(a, wide);
  Value* d = b_.CreateSExt(divisor, i32);
  const auto magnitude = [&](Value* v) {
    return b_.CreateBinaryIntrinsic(intrinsic::abs, v, b_.getFalse());
  };
  Value* quot = unsigned_by_scalar(magnitude(n), magnitude(d));
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(wide)->getNumElements();
  Value* sign = b_.CreateAShr(b_.CreateXor(n, b_.CreateVectorSplat(lanes, d)),
                              llvm::ConstantInt::get(wide, 31));
  return b_.CreateTrunc(b_.CreateSub(b_.CreateXor(quot, sign), sign), a->getType());
}

Value* ScalarEmitter::quotient_of_floats(Prim type, Value* a, Value* b) {
  llvm::Type* t = a->getType();
  const bool is_signed = is_signed_int(type);
  Value* zero = llvm::ConstantInt::get(t, 0);
  Value* is_zero = b_.CreateICmpEQ(b, zero);
  Value* is_minus_one = nullptr;
  Value* avoided = is_zero;
  if (is_signed) {
    is_minus_one = b_.CreateICmpEQ(b, llvm::ConstantInt::getAllOnesValue(t));
    avoided = b_.CreateOr(is_zero, is_minus_one);
  }
  Value* divisor = b_.CreateSelect(avoided, llvm::ConstantInt::get(t, 1), b);
  llvm::Type* wide = like(a, prim_size(type) == 4 ? b_.getDoubleTy() : b_.getFloatTy());
  llvm::Type* whole = like(a, b_.getInt32Ty());
  const auto to_float = [&](Value* v) {
    return is_signed ? b_.CreateSIToFP(v, wide) : b_.CreateUIToFP(v, wide);
  };
  Value* ratio = b_.CreateFDiv(to_float(a), to_float(divisor));
  Value* quot = is_signed ? b_.CreateFPToSI(ratio, whole) : b_.CreateFPToUI(ratio, whole);
  quot = b_.CreateTrunc(quot, t);
  if (is_signed) quot = b_.CreateSelect(is_minus_one, b_.CreateNeg(a), quot);
  return b_.CreateSelect(is_zero, zero, quot);
}

// Of unsigned integers, the divisor not 0.  Each of the numbers below is within 2^-53 of its size
// of the exact one, five of them make an estimate, and 2^-50 is taken off; so an estimate x' of x
// has x (1 - 2^-49) < x' < x.  The first one leaves a rest of at most 2^15 + 1 times the divisor,
// the second one of less than twice the divisor.
Value* ScalarEmitter::quotient_of_longs(Value* a, Value* b) {
  llvm::Type* t = a->getType();
  llvm::Type* doubles = like(a, b_.getDoubleTy());
  Value* reciprocal = b_.CreateFDiv(llvm::ConstantFP::get(doubles, 1), b_.CreateUIToFP(b, doubles));
  reciprocal = b_.CreateFMul(reciprocal, llvm::ConstantFP::get(doubles, 1 - 0x1p-50));
  const auto estimate = [&](Value* n) {
    return b_.CreateFPToUI(b_.CreateFMul(b_.CreateUIToFP(n, doubles), reciprocal), t);
  };
  Value* quot = estimate(a);
  Value* rest = b_.CreateSub(a, b_.CreateMul(quot, b));
  Value* more = estimate(rest);
  rest = b_.CreateSub(rest, b_.CreateMul(more, b));
  Value* one = b_.CreateZExt(b_.CreateICmpUGE(rest, b), t);
  return b_.CreateAdd(b_.CreateAdd(quot, more), one);
}

Value* ScalarEmitter::long_quotient(Prim type, Value* a, Value* b) {
  llvm::Type* t = a->getType();
  Value* zero = llvm::ConstantInt::get(t, 0);
  Value* is_zero = b_.CreateICmpEQ(b, zero);
  Value* divisor = b_.CreateSelect(is_zero, llvm::ConstantInt::get(t, 1), b);
  if (is_unsigned_int(type)) return b_.CreateSelect(is_zero, zero, quotient_of_longs(a, divisor));
  const auto magnitude = [&](Value* v) {
    return b_.CreateBinaryIntrinsic(intrinsic::abs, v, b_.getFalse());
  };
  Value* quot = quotient_of_longs(magnitude(a), magnitude(divisor));
  Value* sign = b_.CreateAShr(b_.CreateXor(a, divisor), llvm::ConstantInt::get(t, 63));
  quot = b_.CreateSub(b_.CreateXor(quot, sign), sign);
  return b_.CreateSelect(is_zero, zero, quot);
}

// Rounded towards zero.  With d <= 2^l and m = floor(2^(k+l) / d) + 1, m * n / 2^(k+l) is further
// from zero than n / d by at most n / 2^(k+l): for n < 2^k that does not reach the next integer.  k
// is the number of bits without that of the sign.  Negative ones round down to one less.  The
// product of 16 bits without sign and m, which has 17, does not fit: there m - 2^16 is multiplied
// and n added to the high half.
Value* ScalarEmitter::narrow_quotient(Prim type, Value* a, Value* divisor) {
  const auto* c = llvm::dyn_cast_or_null<llvm::ConstantInt>(llvm::getSplatValue(divisor));
  if (c == nullptr || llvm::Triple(module_.getTargetTriple()).isX86()) return nullptr;
  const bool is_signed = is_signed_int(type);
  const int64_t d =
      is_signed ? c->getSExtValue() : static_cast<int64_t>(c->getValue().getZExtValue());
  if (d < 2) return nullptr;
  llvm::Type* wide = like(a, b_.getInt32Ty());
  Value* n = is_signed ? b_.CreateSExt(a, wide) : b_.CreateZExt(a, wide);
  const auto number = [&](int64_t x) {
    return llvm::ConstantInt::get(wide, static_cast<uint64_t>(x));
  };
  const int64_t k = 8 * static_cast<int64_t>(prim_size(type)) - (is_signed ? 1 : 0);
  // High halves of 32 bits are cheap.
  const int64_t l = k <= 8 ? 16 - k : std::bit_width(static_cast<uint64_t>(d - 1));
  const int64_t m = (int64_t{1} << (k + l)) / d + 1;
  Value* quot = nullptr;
  if (k == 16) {
    Value* high = b_.CreateLShr(b_.CreateMul(n, number(m - 65536)), number(16));
    Value* half = b_.CreateLShr(b_.CreateSub(n, high), number(1));
    quot = b_.CreateLShr(b_.CreateAdd(high, half), number(l - 1));
  } else {
    Value* product = b_.CreateMul(n, number(m));
    quot =
        is_signed ? b_.CreateAShr(product, number(k + l)) : b_.CreateLShr(product, number(k + l));
    if (is_signed) quot = b_.CreateAdd(quot, b_.CreateLShr(n, number(31)));
  }
  return b_.CreateTrunc(quot, a->getType());
}

Value* ScalarEmitter::vector_quotient(Prim type, Value* a, Value* b) {
  if (!a->getType()->isVectorTy()) return nullptr;
  if (prim_size(type) > 4) {
    const auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(llvm::getSplatValue(b));
    const bool is_power = known != nullptr && known->getValue().isPowerOf2();
    return long_operations_ && !is_power ? long_quotient(type, a, b) : nullptr;
  }
  if (llvm::isa<llvm::Constant>(b))
    return prim_size(type) < 4 ? narrow_quotient(type, a, b) : nullptr;
  if (Value* divisor = llvm::getSplatValue(b)) return quotient_by_scalar(type, a, divisor);
  return quotient_of_floats(type, a, b);
}

}  // namespace skald::cpu
