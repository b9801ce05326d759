// SPDX-License-Identifier: Apache-2.0
// Division of scalars of up to 32 bits by what does not change in a parallel loop: a product with a
// multiplier that is computed when a piece of the loop begins.
//
// With 2^63 < m * d <= 2^63 + d, floor(m * n / 2^63) is floor(n / d) for all n and d up to 2^31:
// what m is too large by adds less than n / 2^63 < 1 / d.  A negative divisor changes the sign of
// both; then, rounding down, floor(n / d) = ~(~n / d) for negative n.
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include "codegen/cpu/operators/scalar.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// The place after which a value from around the loop is known; null if it is none.
llvm::Instruction* known_before_loop(Value* v, const llvm::BasicBlock* here) {
  auto* load = llvm::dyn_cast<llvm::LoadInst>(v);
  if (load == nullptr || load->getParent() == here ||
      !load->hasMetadata(llvm::LLVMContext::MD_invariant_load))
    return nullptr;
  return load->getNextNode();
}

}  // namespace

Value* ScalarEmitter::quotient_by_invariant(Prim type, Value* a, Value* divisor,
                                            Rounding rounding) {
  // Others divide as fast as they multiply twice.
  if (!llvm::Triple(module_.getTargetTriple()).isX86() || a->getType()->isVectorTy() ||
      prim_size(type) > 4 || type == Prim::kU32)
    return nullptr;
  llvm::Instruction* after = known_before_loop(divisor, b_.GetInsertBlock());
  if (after == nullptr) return nullptr;
  llvm::Type* i64 = b_.getInt64Ty();
  const bool is_signed = is_signed_int(type);

  llvm::IRBuilder<> before(after);
  Value* d = is_signed ? before.CreateSExt(divisor, i64) : before.CreateZExt(divisor, i64);
  Value* size = before.CreateBinaryIntrinsic(llvm::Intrinsic::abs, d, before.getFalse());
  size = before.CreateBinaryIntrinsic(llvm::Intrinsic::umax, size, before.getInt64(1));
  Value* multiplier = before.CreateAdd(before.CreateUDiv(before.getInt64(uint64_t{1} << 63), size),
                                       before.getInt64(1));
  // −1, 0 or 1; the quotient by 0 is that of 0.
  Value* sign =
      before.CreateSub(before.CreateZExt(before.CreateICmpSGT(d, before.getInt64(0)), i64),
                       before.CreateZExt(before.CreateICmpSLT(d, before.getInt64(0)), i64));

  Value* n = is_signed ? b_.CreateSExt(a, i64) : b_.CreateZExt(a, i64);
  n = b_.CreateMul(n, sign);
  Value* negative = b_.CreateAShr(n, 63);
  Value* positive = b_.CreateXor(n, negative);
  if (rounding == Rounding::kToZero) positive = b_.CreateSub(positive, negative);
  Value* quot = mul_hi(Prim::kU64, b_.CreateShl(positive, 1), multiplier);
  quot = b_.CreateXor(quot, negative);
  if (rounding == Rounding::kToZero) quot = b_.CreateSub(quot, negative);
  return b_.CreateTrunc(quot, a->getType());
}

}  // namespace skald::cpu
