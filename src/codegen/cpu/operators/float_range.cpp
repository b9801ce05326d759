// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/operators/float_range.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace skald::cpu {

using llvm::Value;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
// Bounds are computed in f64, so what is rounded to fewer bits may be a little outside of them.
constexpr double kMargin = 1.001;
// Larger ones could become infinite in an f32.
constexpr double kLargest = 1e30;

struct Range {
  double low = -kInf, high = kInf;
  bool may_be_nan = true;
};

Range join(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.may_be_nan || b.may_be_nan};
}

// Of results that are finite for all finite arguments.
Range finite(double low, double high) {
  if (!(low >= -kLargest && high <= kLargest)) return {};
  return {low, high, false};
}

Range sum(const Range& a, const Range& b) {
  return a.may_be_nan || b.may_be_nan ? Range{} : finite(a.low + b.low, a.high + b.high);
}

Range product(const Range& a, const Range& b) {
  if (a.may_be_nan || b.may_be_nan) return {};
  const double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  if (std::ranges::any_of(corners, [](double x) { return std::isnan(x); })) return {};
  return finite(*std::ranges::min_element(corners), *std::ranges::max_element(corners));
}

// `is_max` or the least; what is not a number loses.
Range extreme(const Range& a, const Range& b, bool is_max) {
  Range both = is_max ? Range{std::max(a.low, b.low), std::max(a.high, b.high), false}
                      : Range{std::min(a.low, b.low), std::min(a.high, b.high), false};
  if (a.may_be_nan) both = join(both, b);
  if (b.may_be_nan) both = join(both, {a.low, a.high, false});
  both.may_be_nan = a.may_be_nan && b.may_be_nan;
  return both;
}

Range of_integer(const Value* x, bool is_signed) {
  double low = is_signed ? -1 : 0, high = 1;
  unsigned bits = x->getType()->getScalarSizeInBits();
  if (const auto* wider = llvm::dyn_cast<llvm::CastInst>(x)) {
    const bool zeros = llvm::isa<llvm::ZExtInst>(wider);
    if (zeros || llvm::isa<llvm::SExtInst>(wider)) {
      bits = wider->getSrcTy()->getScalarSizeInBits();
      low = zeros ? 0 : low;
      is_signed = !zeros && is_signed;
    }
  }
  const double size = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));
  return finite(low * size, high * size);
}

Range range_of(const Value* x, int depth) {
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(x)) {
    const llvm::Constant* one = x->getType()->isVectorTy() ? constant->getSplatValue() : constant;
    const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(one);
    if (number == nullptr || !number->getValueAPF().isFinite()) return {};
    llvm::APFloat value = number->getValueAPF();
    bool loses = false;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
    return finite(value.convertToDouble(), value.convertToDouble());
  }
  if (depth == 0) return {};
  const auto operand = [&](const llvm::User* user, unsigned k) {
    return range_of(user->getOperand(k), depth - 1);
  };
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(x)) {
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::minnum: return extreme(operand(call, 0), operand(call, 1), false);
      case llvm::Intrinsic::maxnum: return extreme(operand(call, 0), operand(call, 1), true);
      case llvm::Intrinsic::fma:
      case llvm::Intrinsic::fmuladd:
        return sum(product(operand(call, 0), operand(call, 1)), operand(call, 2));
      default: return {};
    }
  }
  const auto* made = llvm::dyn_cast<llvm::Instruction>(x);
  if (made == nullptr) return {};
  switch (made->getOpcode()) {
    case llvm::Instruction::SIToFP: return of_integer(made->getOperand(0), true);
    case llvm::Instruction::UIToFP: return of_integer(made->getOperand(0), false);
    case llvm::Instruction::FAdd: return sum(operand(made, 0), operand(made, 1));
    case llvm::Instruction::FSub: {
      const Range b = operand(made, 1);
      return sum(operand(made, 0), {-b.high, -b.low, b.may_be_nan});
    }
    case llvm::Instruction::FMul: return product(operand(made, 0), operand(made, 1));
    case llvm::Instruction::FPExt: return operand(made, 0);
    case llvm::Instruction::Select: {
      const Range a = operand(made, 1), b = operand(made, 2);
      // x < y ? x : y, which is y if x is not a number.
      const auto* order = llvm::dyn_cast<llvm::FCmpInst>(made->getOperand(0));
      if (order == nullptr || b.may_be_nan || order->getOperand(0) != made->getOperand(1) ||
          order->getOperand(1) != made->getOperand(2))
        return join(a, b);
      if (order->getPredicate() == llvm::CmpInst::FCMP_OGT) return extreme(a, b, true);
      return order->getPredicate() == llvm::CmpInst::FCMP_OLT ? extreme(a, b, false) : join(a, b);
    }
    default: return {};
  }
}

}  // namespace

bool is_between(const Value* value, double low, double high) {
  constexpr int kMostSteps = 8;
  const Range range = range_of(value, kMostSteps);
  return !range.may_be_nan && kMargin * range.high < high &&
         (low == 0 ? range.low >= 0 : kMargin * range.low > low);
}

bool is_within(const Value* value, double limit) {
  return is_between(value, -limit, limit);
}

}  // namespace skald::cpu
