// SPDX-License-Identifier: Apache-2.0
// Where a function has a corner the table takes one side: of min and max the left operand if both
// are equal, 0 for abs at 0.  Integers follow the rules of floats as far as their arithmetic goes.
// `y` below is the result, which saves computing it again.
#include "passes/differentiate/base/partials.h"

#include <cmath>
#include <numbers>

#include "core/ir/visit.h"

namespace skald::passes::ad {

namespace {

using std::numbers::ln10;
using std::numbers::ln2;
using std::numbers::pi;

constexpr double kTwoBySqrtPi = 2 * std::numbers::inv_sqrtpi;

Partial none() {
  return {Partial::kZero};
}
Partial one() {
  return {Partial::kOne};
}
Partial minus_one() {
  return {Partial::kMinusOne};
}

// Arithmetic on one type, as short to write as the formulas.
class Formula {
 public:
  Formula(Emit& out, Prim type) : out_(out), type_(type) {}

  Operand num(double value) const {
    if (is_float(type_)) return const_float(type_, value);
    return const_int(type_, static_cast<int64_t>(value));
  }
  Operand add(const Operand& a, const Operand& b) const { return bin(BinOpKind::kAdd, a, b); }
  Operand sub(const Operand& a, const Operand& b) const { return bin(BinOpKind::kSub, a, b); }
  Operand mul(const Operand& a, const Operand& b) const { return bin(BinOpKind::kMul, a, b); }
  // Of integers the quotient toward zero.
  Operand div(const Operand& a, const Operand& b) const {
    return bin(is_float(type_) ? BinOpKind::kDiv : BinOpKind::kQuot, a, b);
  }
  Operand neg(const Operand& a) const { return un(UnOpKind::kNeg, a); }
  Operand square(const Operand& a) const { return mul(a, a); }
  Operand inverse(const Operand& a) const { return div(num(1), a); }
  Operand un(UnOpKind op, const Operand& a) const { return out_.un(op, type_, a); }
  Operand bin(BinOpKind op, const Operand& a, const Operand& b) const {
    return out_.bin(op, type_, a, b);
  }
  Operand less(const Operand& a, const Operand& b) const {
    return out_.cmp(CmpOpKind::kLt, type_, a, b);
  }
  Operand at_most(const Operand& a, const Operand& b) const {
    return out_.cmp(CmpOpKind::kLe, type_, a, b);
  }
  Operand equal(const Operand& a, const Operand& b) const {
    return out_.cmp(CmpOpKind::kEq, type_, a, b);
  }
  Emit& out() const { return out_; }
  Prim type() const { return type_; }

 private:
  Emit& out_;
  Prim type_;
};

Partial factor(Operand value) {
  return {Partial::kFactor, value};
}

std::optional<Partial> trigonometric(const Formula& f, UnOpKind op, const Operand& x,
                                     const Operand& y) {
  const Operand one = f.num(1);
  const auto root = [&](const Operand& a) { return f.un(UnOpKind::kSqrt, a); };
  switch (op) {
    case UnOpKind::kSin: return factor(f.un(UnOpKind::kCos, x));
    case UnOpKind::kCos: return factor(f.neg(f.un(UnOpKind::kSin, x)));
    case UnOpKind::kTan: return factor(f.add(one, f.square(y)));
    case UnOpKind::kSinPi: return factor(f.mul(f.num(pi), f.un(UnOpKind::kCosPi, x)));
    case UnOpKind::kCosPi: return factor(f.mul(f.num(-pi), f.un(UnOpKind::kSinPi, x)));
    case UnOpKind::kTanPi: return factor(f.mul(f.num(pi), f.add(one, f.square(y))));
    case UnOpKind::kAsin: return factor(f.inverse(root(f.sub(one, f.square(x)))));
    case UnOpKind::kAcos: return factor(f.div(f.num(-1), root(f.sub(one, f.square(x)))));
    case UnOpKind::kAtan: return factor(f.inverse(f.add(one, f.square(x))));
    case UnOpKind::kAsinPi: return factor(f.div(f.num(1 / pi), root(f.sub(one, f.square(x)))));
    case UnOpKind::kAcosPi: return factor(f.div(f.num(-1 / pi), root(f.sub(one, f.square(x)))));
    case UnOpKind::kAtanPi: return factor(f.div(f.num(1 / pi), f.add(one, f.square(x))));
    case UnOpKind::kSinh: return factor(f.un(UnOpKind::kCosh, x));
    case UnOpKind::kCosh: return factor(f.un(UnOpKind::kSinh, x));
    case UnOpKind::kTanh: return factor(f.sub(one, f.square(y)));
    case UnOpKind::kAsinh: return factor(f.inverse(root(f.add(f.square(x), one))));
    case UnOpKind::kAcosh: return factor(f.inverse(root(f.sub(f.square(x), one))));
    case UnOpKind::kAtanh: return factor(f.inverse(f.sub(one, f.square(x))));
    default: return std::nullopt;
  }
}

// ψ, the slope of lgamma.  At 8 or more its series is exact to the last bits or so; smaller
// arguments are brought there by ψ(z) = ψ(z+1) - 1/z, those on the left by ψ(x) = ψ(1-x) - π cot
// πx. It is straight code, so that it has derivatives itself; where the mirror is not used, the
// cotangent is taken at a place without a pole.
Operand digamma(const Formula& f, const Operand& x) {
  constexpr int kSteps = 8;
  // The coefficients of 1/y², 1/y⁴, … .
  constexpr double kSeries[] = {-1.0 / 12,  1.0 / 120,     -1.0 / 252, 1.0 / 240,
                                -1.0 / 132, 691.0 / 32760, -1.0 / 12};
  Emit& out = f.out();
  const Operand left = f.less(x, f.num(0.5));
  const Operand z = out.select(left, f.sub(f.num(1), x), x);
  Operand steps = f.inverse(z);
  for (int k = 1; k < kSteps; ++k) steps = f.add(steps, f.inverse(f.add(z, f.num(k))));
  const Operand y = f.add(z, f.num(kSteps)), square = f.inverse(f.square(y));
  Operand series = f.num(0);
  for (size_t k = std::size(kSeries); k-- > 0;)
    series = f.mul(square, f.add(f.num(kSeries[k]), series));
  const Operand half = f.div(f.num(0.5), y);
  const Operand far = f.add(f.sub(f.un(UnOpKind::kLog, y), half), series);
  const Operand value = f.sub(far, steps);
  const Operand angle = out.select(left, x, f.num(0.25));
  const Operand mirror =
      f.div(f.mul(f.num(pi), f.un(UnOpKind::kCosPi, angle)), f.un(UnOpKind::kSinPi, angle));
  return out.select(left, f.sub(value, mirror), value);
}

std::optional<Partial> unary(const Formula& f, UnOpKind op, const Operand& x, const Operand& y) {
  switch (op) {
    case UnOpKind::kNeg: return minus_one();
    // -x - 1; of a boolean what changes it changes its opposite.
    case UnOpKind::kNot: return f.type() == Prim::kBool ? one() : minus_one();
    case UnOpKind::kAbs: return factor(f.un(UnOpKind::kSgn, x));
    case UnOpKind::kSqrt: return factor(f.div(f.num(0.5), y));
    case UnOpKind::kRsqrt: return factor(f.div(f.mul(f.num(-0.5), y), x));
    case UnOpKind::kCbrt: return factor(f.inverse(f.mul(f.num(3), f.square(y))));
    case UnOpKind::kExp: return factor(y);
    case UnOpKind::kLog: return factor(f.inverse(x));
    case UnOpKind::kLog2: return factor(f.inverse(f.mul(x, f.num(ln2))));
    case UnOpKind::kLog10: return factor(f.inverse(f.mul(x, f.num(ln10))));
    case UnOpKind::kLog1p: return factor(f.inverse(f.add(x, f.num(1))));
    case UnOpKind::kErf:
      return factor(f.mul(f.num(kTwoBySqrtPi), f.un(UnOpKind::kExp, f.neg(f.square(x)))));
    case UnOpKind::kErfc:
      return factor(f.mul(f.num(-kTwoBySqrtPi), f.un(UnOpKind::kExp, f.neg(f.square(x)))));
    case UnOpKind::kGamma: return factor(f.mul(y, digamma(f, x)));
    case UnOpKind::kLgamma: return factor(digamma(f, x));
    default: return trigonometric(f, op, x, y);
  }
}

using Pair = std::vector<Partial>;

// a^b.  By a: b a^(b-1), but 0 at a = 0 where that would be infinite.  By b: a^b log a, where the
// logarithm exists.
Pair power(const Formula& f, const Operand& a, const Operand& b, const Operand& y) {
  const Operand slope = f.mul(b, f.bin(BinOpKind::kPow, a, f.sub(b, f.num(1))));
  if (!is_float(f.type())) return {factor(slope), none()};
  Emit& out = f.out();
  const Operand corner = out.both(f.equal(a, f.num(0)), f.less(b, f.num(1)));
  const Operand log = f.un(UnOpKind::kLog, a);
  const Operand by_b = f.mul(y, out.select(f.at_most(a, f.num(0)), f.num(0), log));
  return {factor(out.select(corner, f.num(0), slope)), factor(by_b)};
}

std::optional<Pair> binary(const Formula& f, BinOpKind op, const Operand& a, const Operand& b,
                           const Operand& y) {
  const bool floats = is_float(f.type());
  switch (op) {
    case BinOpKind::kAdd: return Pair{one(), one()};
    case BinOpKind::kSub: return Pair{one(), minus_one()};
    case BinOpKind::kMul: return Pair{factor(b), factor(a)};
    case BinOpKind::kDiv:
    case BinOpKind::kQuot:
      if (floats) {
        const Operand inverse = f.inverse(b);
        return Pair{factor(inverse), factor(f.neg(f.mul(y, inverse)))};
      }
      return Pair{factor(f.inverse(b)), factor(f.neg(f.div(a, f.square(b))))};
    // a - b * floor(a/b), where the quotient is constant nearly everywhere; fmod truncates.
    case BinOpKind::kMod:
      if (floats) return Pair{one(), factor(f.neg(f.un(UnOpKind::kTrunc, f.div(a, b))))};
      return Pair{one(), factor(f.neg(f.bin(BinOpKind::kDiv, a, b)))};
    case BinOpKind::kRem: return Pair{one(), factor(f.neg(f.div(a, b)))};
    case BinOpKind::kPow: return power(f, a, b, y);
    case BinOpKind::kMin:
      return Pair{{Partial::kIf, f.at_most(a, b)}, {Partial::kIf, f.less(b, a)}};
    case BinOpKind::kMax:
      return Pair{{Partial::kIf, f.at_most(b, a)}, {Partial::kIf, f.less(a, b)}};
    case BinOpKind::kAtan2:
    case BinOpKind::kAtan2Pi: {
      Operand square = f.add(f.square(a), f.square(b));
      if (op == BinOpKind::kAtan2Pi) square = f.mul(f.num(pi), square);
      return Pair{factor(f.div(b, square)), factor(f.neg(f.div(a, square)))};
    }
    case BinOpKind::kHypot: return Pair{factor(f.div(a, y)), factor(f.div(b, y))};
    case BinOpKind::kCopysign:
      return Pair{factor(f.mul(f.un(UnOpKind::kSgn, a), f.bin(BinOpKind::kCopysign, f.num(1), b))),
                  none()};
    case BinOpKind::kNextafter: return Pair{one(), none()};
    // The exponent is an integer of another type.  Its power may be infinite, where 0 must stay 0.
    case BinOpKind::kLdexp: return Pair{{Partial::kPowerOfTwo, b}, none()};
    case BinOpKind::kShl: return Pair{factor(f.bin(BinOpKind::kShl, f.num(1), b)), none()};
    default: return std::nullopt;
  }
}

Pair ternary(const Formula& f, const TernOp& e) {
  if (e.op == TernOpKind::kLerp)
    return {factor(f.sub(f.num(1), e.c)), factor(e.c), factor(f.sub(e.b, e.a))};
  return {factor(e.b), factor(e.a), one()};
}

}  // namespace

std::vector<Operand> data_operands(const Exp& exp) {
  if (const auto* e = as<UnOp>(exp)) return {e->arg};
  if (const auto* e = as<BinOp>(exp)) return {e->lhs, e->rhs};
  if (const auto* e = as<TernOp>(exp)) return {e->a, e->b, e->c};
  return {};
}

bool is_flat(const Exp& exp) {
  if (const auto* e = as<UnOp>(exp)) {
    switch (e->op) {
      case UnOpKind::kSgn:
      case UnOpKind::kPopc:
      case UnOpKind::kClz:
      case UnOpKind::kCtz:
      case UnOpKind::kIsNan:
      case UnOpKind::kIsInf:
      case UnOpKind::kCeil:
      case UnOpKind::kFloor:
      case UnOpKind::kTrunc:
      case UnOpKind::kRound: return true;
      default: return e->type == Prim::kBool && e->op != UnOpKind::kNot;
    }
  }
  if (const auto* e = as<BinOp>(exp)) {
    switch (e->op) {
      case BinOpKind::kAnd:
      case BinOpKind::kOr:
      case BinOpKind::kXor:
      case BinOpKind::kShr:
      case BinOpKind::kLshr:
      case BinOpKind::kAshr:
      case BinOpKind::kMulHi: return true;
      default: return e->type == Prim::kBool;
    }
  }
  if (const auto* e = as<TernOp>(exp)) return e->op == TernOpKind::kMadHi;
  if (const auto* e = as<Convert>(exp)) return e->from == Prim::kBool || e->to == Prim::kBool;
  return as<CmpOp>(exp) != nullptr;
}

std::optional<std::vector<Partial>> partials(Emit& out, const Exp& exp, const Operand& result) {
  if (const auto* e = as<UnOp>(exp)) {
    const std::optional<Partial> partial = unary(Formula(out, e->type), e->op, e->arg, result);
    if (!partial) return std::nullopt;
    return Pair{*partial};
  }
  if (const auto* e = as<BinOp>(exp))
    return binary(Formula(out, e->type), e->op, e->lhs, e->rhs, result);
  if (const auto* e = as<TernOp>(exp)) return ternary(Formula(out, e->type), *e);
  return std::nullopt;
}

Operand scaled(Emit& out, const Partial& partial, const Operand& seed, Prim type) {
  switch (partial.kind) {
    case Partial::kZero: return Const{type, 0};
    case Partial::kOne: return seed;
    case Partial::kMinusOne: return out.neg(type, seed);
    case Partial::kFactor: return out.mul(type, partial.value, seed);
    case Partial::kPowerOfTwo: return out.bin(BinOpKind::kLdexp, type, seed, partial.value);
    case Partial::kIf: return out.select(partial.value, seed, Operand(Const{type, 0}));
  }
  return seed;
}

}  // namespace skald::passes::ad
