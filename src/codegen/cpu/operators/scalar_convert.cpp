// SPDX-License-Identifier: Apache-2.0
// Values of one type as values of another.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cmath>

#include "codegen/cpu/operators/float_range.h"
#include "codegen/cpu/operators/scalar.h"
#include "codegen/cpu/target/target.h"

namespace skald::cpu {

using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

// One rounding from f64.  AArch64 has an instruction; elsewhere LLVM's library call may be missing.
Value* ScalarEmitter::to_half(Value* wide) {
  llvm::Type* half = like(wide, b_.getHalfTy());
  if (kIsArm64 || wide->getType()->getScalarType()->isFloatTy())
    return b_.CreateFPTrunc(wide, half);
  return b_.CreateBitCast(call_pure("skald_f64_to_f16", b_.getInt16Ty(), {wide}), half);
}

// LLVM 19 converts vectors of i64 to f32 over f64, and rounds twice.  Rounding to odd first makes
// the second rounding right: where f64 is not exact, the bits it has no room for leave a trace in
// the last one.
Value* ScalarEmitter::wide_to_f32(bool is_signed, Value* a) {
  llvm::Type* t = a->getType();
  const auto number = [&](uint64_t n) { return llvm::ConstantInt::get(t, n); };
  constexpr uint64_t kExact = uint64_t{1} << 53, kLost = 0x7ff;
  Value* size = is_signed ? b_.CreateBinaryIntrinsic(intrinsic::abs, a, b_.getFalse()) : a;
  Value* is_exact = b_.CreateICmpULT(size, number(kExact));
  Value* trace = b_.CreateSelect(b_.CreateICmpEQ(b_.CreateAnd(a, number(kLost)), number(0)),
                                 number(0), number(kLost + 1));
  Value* odd = b_.CreateOr(b_.CreateAnd(a, number(~kLost)), trace);
  Value* exact = b_.CreateSelect(is_exact, a, odd);
  llvm::Type* f64 = like(a, b_.getDoubleTy());
  Value* wide = is_signed ? b_.CreateSIToFP(exact, f64) : b_.CreateUIToFP(exact, f64);
  return b_.CreateFPTrunc(wide, like(a, b_.getFloatTy()));
}

// Vectors of floats as integers; LLVM 19 takes its saturating conversions apart lane by lane on
// x86-64.  Null if there are no instructions for vectors.
Value* ScalarEmitter::lanes_to_int(Prim from, Prim to, Value* wide) {
  if (kIsArm64 || !wide->getType()->isVectorTy()) return nullptr;
  const auto real = [&](double x) { return llvm::ConstantFP::get(wide->getType(), x); };
  Value* magnitude = b_.CreateUnaryIntrinsic(intrinsic::fabs, wide);
  Value* finite = b_.CreateFCmpOLT(magnitude, llvm::ConstantFP::getInfinity(wide->getType()));
  Value* fits = nullptr;
  // What is not less than `limit` is not converted but becomes 0.
  const auto converted = [&](double limit, llvm::Type* type) {
    fits = b_.CreateFCmpOLT(magnitude, real(limit));
    return b_.CreateFPToSI(b_.CreateSelect(fits, wide, real(0.0)), like(wide, type));
  };
  // Choices are made before bits are dropped: lanes have the width of the conditions then.
  llvm::Type* const target = like(wide, value_type(b_.getContext(), to));
  const int bits = 8 * static_cast<int>(prim_size(to));
  const auto width = static_cast<unsigned>(bits);
  if (!is_signed_int(to)) {
    // The low bits of an i64; the lowest eight of a f32 that is no i32 are zeros.
    const bool narrow = from == Prim::kF16 || (to == Prim::kU8 && from == Prim::kF32);
    if (to == Prim::kU64 || (!narrow && !long_operations_)) return nullptr;
    Value* low = narrow ? converted(0x1p31, b_.getInt32Ty()) : converted(0x1p63, b_.getInt64Ty());
    const auto number = [&](uint64_t n) { return llvm::ConstantInt::get(low->getType(), n); };
    Value* too_large = b_.CreateFCmpOGE(wide, real(std::ldexp(1.0, bits)));
    Value* largest = b_.CreateSelect(finite, number((uint64_t{1} << bits) - 1), number(0));
    return b_.CreateTrunc(b_.CreateSelect(too_large, largest, low), target);
  }
  if (prim_size(to) == 8 && !long_operations_) return nullptr;
  Value* inside =
      converted(std::ldexp(1.0, bits - 1), prim_size(to) == 8 ? b_.getInt64Ty() : b_.getInt32Ty());
  const auto end = [&](const llvm::APInt& value) {
    const unsigned wider = inside->getType()->getScalarSizeInBits();
    return llvm::ConstantInt::get(inside->getType(), value.sext(wider));
  };
  Value* nearest =
      b_.CreateSelect(b_.CreateFCmpOLT(wide, real(0.0)), end(llvm::APInt::getSignedMinValue(width)),
                      end(llvm::APInt::getSignedMaxValue(width)));
  Value* outside = b_.CreateSelect(finite, nearest, end(llvm::APInt(width, 0)));
  return b_.CreateTrunc(b_.CreateSelect(fits, inside, outside), target);
}

// A float that is known to fit.  Null if none is known to.
Value* ScalarEmitter::fitting_to_int(Prim to, Value* wide) {
  const int bits = 8 * static_cast<int>(prim_size(to));
  const bool fits = is_signed_int(to) ? is_within(wide, std::ldexp(1.0, std::min(bits - 1, 31)))
                                      : is_between(wide, 0, std::ldexp(1.0, std::min(bits, 31)));
  if (!fits) return nullptr;
  Value* whole = b_.CreateFPToSI(wide, like(wide, b_.getInt32Ty()));
  return b_.CreateSExtOrTrunc(whole, like(wide, value_type(b_.getContext(), to)));
}

// That of an f32 that is no i32 is 0; the largest i64 stands for what is larger.
Value* ScalarEmitter::low_byte(Value* floats) {
  if (is_within(floats, 0x1p31))
    return b_.CreateTrunc(b_.CreateFPToSI(floats, like(floats, b_.getInt32Ty())),
                          like(floats, b_.getInt8Ty()));
  const auto real = [&](double x) { return llvm::ConstantFP::get(floats->getType(), x); };
  Value* magnitude = b_.CreateUnaryIntrinsic(intrinsic::fabs, floats);
  Value* fits = b_.CreateFCmpOLT(magnitude, real(0x1p31));
  Value* whole =
      b_.CreateFPToSI(b_.CreateSelect(fits, floats, real(0.0)), like(floats, b_.getInt32Ty()));
  Value* finite = b_.CreateFCmpOLT(magnitude, llvm::ConstantFP::getInfinity(floats->getType()));
  Value* too_large = b_.CreateAnd(b_.CreateFCmpOGE(floats, real(0x1p63)), finite);
  Value* all_ones = llvm::Constant::getAllOnesValue(whole->getType());
  return b_.CreateTrunc(b_.CreateSelect(too_large, all_ones, whole), like(floats, b_.getInt8Ty()));
}

Value* ScalarEmitter::convert(Prim from, Prim to, Value* a) {
  if (from == to) return a;
  llvm::Type* target = like(a, value_type(b_.getContext(), to));
  if (to == Prim::kBool) {
    if (is_float(from)) return b_.CreateFCmpUNE(a, llvm::ConstantFP::get(a->getType(), 0.0));
    return b_.CreateICmpNE(a, llvm::ConstantInt::get(a->getType(), 0));
  }
  if (is_float(from) && is_float(to)) {
    if (prim_size(to) > prim_size(from)) return b_.CreateFPExt(a, target);
    return to == Prim::kF16 ? to_half(a) : b_.CreateFPTrunc(a, target);
  }
  if (is_float(from)) {
    Value* wide = widen(a);
    if (Value* whole = fitting_to_int(to, wide)) return whole;
    if (Value* lanes = lanes_to_int(from, to, wide)) return lanes;
    const intrinsic::ID saturating =
        is_signed_int(to) ? intrinsic::fptosi_sat : intrinsic::fptoui_sat;
    Value* whole = b_.CreateIntrinsic(saturating, {target, wide->getType()}, {wide});
    if (!is_signed_int(to)) {
      // Negative values wrap.
      llvm::Type* i64 = like(a, b_.getInt64Ty());
      Value* as_i64 = b_.CreateIntrinsic(intrinsic::fptosi_sat, {i64, wide->getType()}, {wide});
      Value* negative = b_.CreateFCmpOLT(wide, llvm::ConstantFP::get(wide->getType(), 0.0));
      whole = b_.CreateSelect(negative, b_.CreateTrunc(as_i64, target), whole);
    }
    Value* magnitude = b_.CreateUnaryIntrinsic(intrinsic::fabs, wide);
    Value* finite = b_.CreateFCmpOLT(magnitude, llvm::ConstantFP::getInfinity(wide->getType()));
    return b_.CreateSelect(finite, whole, llvm::ConstantInt::get(target, 0));
  }
  const bool is_signed = is_signed_int(from);
  if (is_float(to)) {
    const bool is_long = prim_size(from) == 8 && a->getType()->isVectorTy();
    if (to == Prim::kF32 && is_long && !long_operations_) return wide_to_f32(is_signed, a);
    llvm::Type* type = to == Prim::kF16 ? like(a, b_.getDoubleTy()) : target;
    Value* result = is_signed ? b_.CreateSIToFP(a, type) : b_.CreateUIToFP(a, type);
    return to == Prim::kF16 ? to_half(result) : result;
  }
  return is_signed ? b_.CreateSExtOrTrunc(a, target) : b_.CreateZExtOrTrunc(a, target);
}

Value* ScalarEmitter::bitcast(Prim from, Prim to, Value* a) {
  if (from == to) return a;
  // A bool is one bit here and eight in its width.
  llvm::Type* target = like(a, value_type(b_.getContext(), to));
  if (from == Prim::kBool) return b_.CreateZExt(a, target);
  if (to == Prim::kBool) return b_.CreateTrunc(a, target);
  return b_.CreateBitCast(a, target);
}

}  // namespace skald::cpu
