// SPDX-License-Identifier: Apache-2.0
// Values of one type as values of another.
#include <llvm/IR/Intrinsics.h>

#include "codegen/cpu/scalar.h"

namespace skald::cpu {

using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

// One rounding from f64.  AArch64 has an instruction; elsewhere LLVM's library call may be missing.
Value* ScalarEmitter::to_half(Value* wide) {
#if defined(__aarch64__)
  return b_.CreateFPTrunc(wide, like(wide, b_.getHalfTy()));
#else
  llvm::Type* half = like(wide, b_.getHalfTy());
  if (wide->getType()->getScalarType()->isFloatTy()) return b_.CreateFPTrunc(wide, half);
  return b_.CreateBitCast(call_pure("skald_f64_to_f16", b_.getInt16Ty(), {wide}), half);
#endif
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
