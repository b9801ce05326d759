// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/scalar.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/cpu/inline_maths.h"
#include "codegen/cpu/symbols.h"
#include "codegen/cpu/vector_maths.h"
#include "support/bug.h"

namespace skald::cpu {

using core::BinOpKind;
using core::CmpOpKind;
using core::TernOpKind;
using core::UnOpKind;
using llvm::Value;
using llvm::Intrinsic::ID;
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

// ---- calls

Value* ScalarEmitter::call_pure(llvm::StringRef name, llvm::Type* result,
                                llvm::ArrayRef<Value*> args) {
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(args[0]->getType())) {
    Value* all = llvm::PoisonValue::get(like(args[0], result));
    for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
      std::vector<Value*> one;
      for (Value* arg : args) one.push_back(b_.CreateExtractElement(arg, lane));
      all = b_.CreateInsertElement(all, call_pure(name, result, one), lane);
    }
    return all;
  }
  std::vector<llvm::Type*> types;
  for (Value* arg : args) types.push_back(arg->getType());
  auto* type = llvm::FunctionType::get(result, types, false);
  llvm::FunctionCallee callee = module_.getOrInsertFunction(name, type);
  auto* fn = llvm::cast<llvm::Function>(callee.getCallee());
  fn->setDoesNotAccessMemory();
  fn->setDoesNotThrow();
  fn->setWillReturn();
  return b_.CreateCall(callee, args);
}

Value* ScalarEmitter::call_libm(std::string_view name, Prim type, llvm::ArrayRef<Value*> args) {
  std::vector<Value*> wide;
  for (Value* arg : args) wide.push_back(widen(arg));
  std::string full(name);
  if (type != Prim::kF64) full += 'f';
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(wide[0]->getType());
  if (vector != nullptr && vector->getElementType()->isFloatTy())
    if (llvm::Function* fn = inline_maths(module_, full, vector->getNumElements()))
      return narrow(type, b_.CreateCall(fn, wide));
  if (vector != nullptr && has_vector_maths(full)) return narrow(type, call_vector(full, wide));
  return narrow(type, call_pure("skald_m_" + full, wide[0]->getType()->getScalarType(), wide));
}

// In pieces of one register each.
Value* ScalarEmitter::call_vector(std::string_view name, llvm::ArrayRef<Value*> args) {
  llvm::Type* element = args[0]->getType()->getScalarType();
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(args[0]->getType())->getNumElements();
  const unsigned element_bytes = element->isFloatTy() ? 4 : 8;
  constexpr unsigned kWideBytes = 64;
  const bool wide =
      wide_maths_ && lanes * element_bytes >= kWideBytes && has_wide_vector_maths(name);
  const unsigned size = (wide ? kWideBytes : vector_maths_bytes()) / element_bytes;
  auto* whole = llvm::FixedVectorType::get(element, size);
  const std::string symbol = (wide ? "skald_w_" : "skald_v_") + std::string(name);
  std::vector<llvm::Type*> types(args.size(), whole);
  llvm::FunctionCallee callee =
      module_.getOrInsertFunction(symbol, llvm::FunctionType::get(whole, types, false));
  auto* fn = llvm::cast<llvm::Function>(callee.getCallee());
  fn->setDoesNotAccessMemory();
  fn->setDoesNotThrow();
  fn->setWillReturn();
  Value* all = nullptr;
  for (unsigned first = 0; first < lanes; first += size) {
    std::vector<Value*> piece;
    std::vector<int> which;
    // The lanes of a piece that is not full repeat the last one.
    for (unsigned k = 0; k < size; ++k)
      which.push_back(static_cast<int>(std::min(first + k, lanes - 1)));
    for (Value* arg : args) piece.push_back(b_.CreateShuffleVector(arg, which));
    Value* result = b_.CreateCall(callee, piece);
    if (lanes < size) {
      std::vector<int> used;
      for (unsigned k = 0; k < lanes; ++k) used.push_back(static_cast<int>(k));
      return b_.CreateShuffleVector(result, used);
    }
    if (lanes == size) return result;
    if (all == nullptr) all = llvm::PoisonValue::get(args[0]->getType());
    all = b_.CreateInsertVector(args[0]->getType(), all, result, b_.getInt64(first));
  }
  return all;
}

Value* ScalarEmitter::call_operator(llvm::StringRef name, Prim result, Prim type,
                                    llvm::ArrayRef<Value*> args) {
  std::vector<Value*> bits;
  for (Value* arg : args) bits.push_back(to_bits(b_, type, arg));
  return from_bits(b_, result, call_pure(name, b_.getInt64Ty(), bits));
}

Value* ScalarEmitter::widen(Value* a) {
  if (!a->getType()->getScalarType()->isHalfTy()) return a;
  return b_.CreateFPExt(a, like(a, b_.getFloatTy()));
}

Value* ScalarEmitter::narrow(Prim type, Value* a) {
  return type == Prim::kF16 ? b_.CreateFPTrunc(a, like(a, b_.getHalfTy())) : a;
}

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

// ---- integers

// 0 <= x && x < n is one comparison of unsigned numbers with max(n, 0), which mostly is the same in
// all iterations; and one of fewer bits, if x has been widened.
Value* ScalarEmitter::in_range(Value* a, Value* b) {
  using namespace llvm::PatternMatch;
  Value *x = nullptr, *n = nullptr;
  llvm::ICmpInst::Predicate lower, upper;
  if (!match(a, m_ICmp(lower, m_Zero(), m_Value(x))) || lower != llvm::ICmpInst::ICMP_SLE ||
      !match(b, m_ICmp(upper, m_Specific(x), m_Value(n))) || upper != llvm::ICmpInst::ICMP_SLT)
    return nullptr;
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
  llvm::Type* t = a->getType();
  Value* zero = llvm::ConstantInt::get(t, 0);
  Value* one = llvm::ConstantInt::get(t, 1);
#if defined(__aarch64__)
  // The instruction gives what we want where LLVM's own division is undefined.
  const bool fits = t->isIntegerTy(32) || t->isIntegerTy(64);
  if (fits && !llvm::isa<llvm::Constant>(b)) {
    const ID op = is_unsigned_int(type) ? intrinsic::aarch64_udiv : intrinsic::aarch64_sdiv;
    Value* quot = b_.CreateIntrinsic(op, {t}, {a, b});
    return {quot, b_.CreateSub(a, b_.CreateMul(quot, b))};
  }
#endif
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

// ---- floats

// A NaN loses, and -0 is smaller than +0.
Value* ScalarEmitter::min_max(bool is_min, Value* a, Value* b) {
#if defined(__aarch64__)
  return b_.CreateBinaryIntrinsic(is_min ? intrinsic::minnum : intrinsic::maxnum, a, b);
#else
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
#endif
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

// ---- all types

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
    const ID saturating = is_signed_int(to) ? intrinsic::fptosi_sat : intrinsic::fptoui_sat;
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
