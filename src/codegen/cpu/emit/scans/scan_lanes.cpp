// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/emit/scans/scan_lanes.h"

#include "support/bug.h"

namespace skald::cpu {

using core::BinOpKind;
using llvm::Value;

llvm::Constant* neutral_of(BinOpKind op, Prim prim, llvm::Type* type) {
  const unsigned bits = type->getScalarSizeInBits();
  const bool is_signed = is_signed_int(prim);
  switch (op) {
    case BinOpKind::kAdd:
      return type->isFloatingPointTy() ? llvm::ConstantFP::get(type, -0.0)
                                       : llvm::ConstantInt::get(type, 0);
    case BinOpKind::kMul:
      return type->isFloatingPointTy() ? llvm::ConstantFP::get(type, 1.0)
                                       : llvm::ConstantInt::get(type, 1);
    case BinOpKind::kMin:
      return llvm::ConstantInt::get(
          type, is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits));
    case BinOpKind::kMax:
      return llvm::ConstantInt::get(
          type, is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits));
    case BinOpKind::kAnd: return llvm::Constant::getAllOnesValue(type);
    case BinOpKind::kOr:
    case BinOpKind::kXor: return llvm::ConstantInt::get(type, 0);
    default: SKALD_BUG("no scan by this operator");
  }
}

Value* combine_lanes(llvm::IRBuilder<>& b, BinOpKind op, Prim prim, Value* x, Value* y) {
  const bool is_float = x->getType()->isFPOrFPVectorTy();
  const bool is_signed = is_signed_int(prim);
  switch (op) {
    case BinOpKind::kAdd: return is_float ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
    case BinOpKind::kMul: return is_float ? b.CreateFMul(x, y) : b.CreateMul(x, y);
    case BinOpKind::kMin:
      return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, x,
                                     y);
    case BinOpKind::kMax:
      return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, x,
                                     y);
    case BinOpKind::kAnd: return b.CreateAnd(x, y);
    case BinOpKind::kOr: return b.CreateOr(x, y);
    case BinOpKind::kXor: return b.CreateXor(x, y);
    default: SKALD_BUG("no scan by this operator");
  }
}

}  // namespace skald::cpu
