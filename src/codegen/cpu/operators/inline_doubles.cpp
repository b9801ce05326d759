// SPDX-License-Identifier: Apache-2.0
// Functions on vectors of f64.  `Sum` is a value that is carried as the sum of two f64, the second
// much smaller than the first.
#include <bit>
#include <cstdint>
#include <limits>
#include <numbers>

#include "codegen/cpu/operators/inline_functions.h"

namespace skald::cpu {

namespace {

using llvm::Value;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Up to the one, and from the other on, a slope is a small angle from an axis.
constexpr double kSmallSlope = 0.66, kLargeSlope = 2.414;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class DoubleMaths : public MathsEmitter {
 public:
  using MathsEmitter::MathsEmitter;

  void emit(std::string_view name) {
    Value* x = fn_->getArg(0);
    if (name == "sin") sine(x, 0);
    if (name == "cos") sine(x, 1);
    if (name == "exp") exponential(x);
    if (name == "log") b_.CreateRet(special_logarithms(x, logarithm(x, kNatural)));
    if (name == "log2") b_.CreateRet(special_logarithms(x, logarithm(x, kBinary)));
    if (name == "log10") b_.CreateRet(special_logarithms(x, logarithm(x, kDecimal)));
    if (name == "log1p") logarithm_of_more_than_one(x);
    if (name == "pow") power(x, fn_->getArg(1));
    if (name == "sinh") hyperbolic_sine(x);
    if (name == "cosh") hyperbolic_cosine(x);
    if (name == "tanh") hyperbolic_tangent(x);
    if (name == "atan") b_.CreateRet(arc_tangent(x));
    if (name == "atan2") arc_tangent_of_quotient(x, fn_->getArg(1));
  }

 private:
  struct Sum {
    Value *first, *rest;
  };

  Value* add(Value* x, Value* y) { return b_.CreateFAdd(x, y); }
  Value* sub(Value* x, Value* y) { return b_.CreateFSub(x, y); }
  Value* mul(Value* x, Value* y) { return b_.CreateFMul(x, y); }
  Value* neg(Value* x) { return b_.CreateFNeg(x); }
  Value* size_of(Value* x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
  Value* with_sign_of(Value* size, Value* x) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, size, x);
  }
  Value* at_most(Value* x, double limit) {
    return b_.CreateSelect(b_.CreateFCmpOGT(x, number(limit)), number(limit), x);
  }
  Value* at_least(Value* x, double limit) {
    return b_.CreateSelect(b_.CreateFCmpOLT(x, number(limit)), number(limit), x);
  }
  // x + y, if x is not smaller than y or zero.
  Sum exact_sum(Value* x, Value* y) {
    Value* sum = add(x, y);
    return {sum, add(sub(x, sum), y)};
  }
  Sum sum_of_any(Value* x, Value* y) {
    Value* sum = add(x, y);
    Value* back = sub(sum, x);
    return {sum, add(sub(x, sub(sum, back)), sub(y, back))};
  }
  Sum exact_product(Value* x, Value* y) {
    Value* product = mul(x, y);
    return {product, mul_add(x, y, neg(product))};
  }
  // 2^n, for n + kRound.
  Value* power_of_two(Value* shifted) {
    return from_bits(
        b_.CreateShl(b_.CreateAdd(bits(shifted), long_integer(1023)), long_integer(52)));
  }

  // ---- angles

  // x = n·π/2 + r + rest with |r| ≤ π/4; n mod 4 says which of ±sin r, ±cos r it is.  The product
  // of n with the first part of π/2 leaves no error, because what remains of x is a multiple of
  // 2^-52.
  void sine(Value* x, uint64_t quarters) {
    constexpr double kLargest = 0x1p20;
    unless_all(b_.CreateFCmpOLT(size_of(x), number(kLargest)), quarters == 0 ? "sin" : "cos");
    Value* shifted = mul_add(x, number(2 / std::numbers::pi), number(kRound));
    Value* n = neg(sub(shifted, number(kRound)));
    Value* exact = mul_add(n, number(0x1.921fb54442d18p+0), x);
    Value* r = mul_add(n, number(0x1.1a62633145c07p-54), exact);
    Value* rest = mul_add(n, number(0x1.1a62633145c07p-54), sub(exact, r));
    rest = mul_add(n, number(-0x1.f1976b7ed8fbcp-110), rest);
    Value* z = mul(r, r);

    Value* p =
        polynomial(z, {-0x1.5555555555549p-3, 0x1.111111110f842p-7, -0x1.a01a019c0a281p-13,
                       0x1.71de3570fb633p-19, -0x1.ae5e60c254984p-26, 0x1.5d915d4d2922cp-33});
    Value* sin_r = add(r, mul_add(mul(r, z), p, rest));
    // 1 - z/2, and what was lost when that was rounded.
    Value* half = mul(z, number(0.5));
    Value* most = sub(number(1), half);
    Value* lost = sub(sub(number(1), most), half);
    p = polynomial(z, {0x1.5555555555555p-5, -0x1.6c16c16c16960p-10, 0x1.a01a019f4d281p-16,
                       -0x1.27e4fa15da0e5p-22, 0x1.1eeb66d0ea80dp-29, -0x1.907c1f79fb1adp-37});
    lost = mul_add(neg(r), rest, lost);
    Value* cos_r = add(most, mul_add(mul(z, z), p, lost));

    Value* quarter = b_.CreateAdd(bits(shifted), long_integer(quarters));
    Value* odd = b_.CreateICmpNE(b_.CreateAnd(quarter, long_integer(1)), long_integer(0));
    Value* sign = b_.CreateShl(b_.CreateAnd(quarter, long_integer(2)), long_integer(62));
    Value* result = from_bits(b_.CreateXor(bits(b_.CreateSelect(odd, cos_r, sin_r)), sign));
    // The sine of -0 is -0.
    if (quarters == 0) result = b_.CreateSelect(b_.CreateFCmpOEQ(x, number(0)), x, result);
    b_.CreateRet(result);
  }

  // (atan t - t) / t for |t| ≤ 0.66.
  Value* arc_tangent_factor(Value* t) {
    Value* z = mul(t, t);
    return mul(z,
               polynomial(z, {-0x1.5555555555555p-2, 0x1.99999999997b4p-3, -0x1.249249247d794p-3,
                              0x1.c71c71bbd2adep-4, -0x1.745d15aaa25d0p-4, 0x1.3b138de4a49c0p-4,
                              -0x1.110f136cf6da2p-4, 0x1.e1ba42331a0b4p-5, -0x1.ae0f3116bda06p-5,
                              0x1.806af242709bdp-5, -0x1.4e8c6461868fap-5, 0x1.0a9af62a35acap-5,
                              -0x1.5e2c51212c7bdp-6, 0x1.414db3cb69036p-7, -0x1.28c45e3edc398p-9}));
  }

  // atan x = begin + atan t, where t is x, (x - 1) / (x + 1) or -1 / x, so that it is small.
  Value* arc_tangent(Value* x) {
    Value* size = size_of(x);
    Value* middle = b_.CreateFCmpOGT(size, number(kSmallSlope));
    Value* large = b_.CreateFCmpOGT(size, number(kLargeSlope));
    const auto choose = [&](Value* if_small, Value* if_middle, Value* if_large) {
      return b_.CreateSelect(large, if_large, b_.CreateSelect(middle, if_middle, if_small));
    };
    Value* above = choose(size, sub(size, number(1)), number(-1));
    Value* below = choose(number(1), add(size, number(1)), size);
    Value* t = b_.CreateFDiv(above, below);
    Value* begin = choose(number(0), number(0x1.921fb54442d18p-1), number(0x1.921fb54442d18p+0));
    Value* begin_rest =
        choose(number(0), number(0x1.1a62633145c07p-55), number(0x1.1a62633145c07p-54));
    const Sum sum = exact_sum(begin, t);
    return with_sign_of(
        add(sum.first, add(sum.rest, mul_add(t, arc_tangent_factor(t), begin_rest))), x);
  }

  // Of the smaller over the larger size, seen from 0, π/2 or π.
  void arc_tangent_of_quotient(Value* y, Value* x) {
    Value *width = size_of(x), *height = size_of(y);
    Value* steep = b_.CreateFCmpOGT(height, width);
    Value* larger = b_.CreateSelect(steep, height, width);
    Value* smaller = b_.CreateSelect(steep, width, height);
    // Zeros, infinities, what is no number, and quotients that are hardly any.
    Value* usual = b_.CreateAnd(b_.CreateFCmpOGT(smaller, number(0x1p-500)),
                                b_.CreateFCmpOLT(larger, number(0x1p500)));
    unless_all(usual, "atan2");
    Value* middle = b_.CreateFCmpOGT(smaller, mul(larger, number(kSmallSlope)));
    Value* above = b_.CreateSelect(middle, sub(smaller, larger), smaller);
    Value* below = b_.CreateSelect(middle, add(smaller, larger), larger);
    Value* t = b_.CreateFDiv(above, below);
    Value* error = b_.CreateFDiv(mul_add(neg(t), below, above), mul_add(t, above, below));
    Value* rest = mul_add(t, arc_tangent_factor(t), error);
    Value* turned = b_.CreateFCmpOLT(x, number(0));
    // What lies on the other side of a diagonal is counted backwards.
    Value* sign = b_.CreateSelect(b_.CreateXor(steep, turned), number(-1), number(1));
    Value* begin = b_.CreateSelect(turned, number(0x1.921fb54442d18p+1), number(0));
    begin = b_.CreateSelect(steep, number(0x1.921fb54442d18p+0), begin);
    Value* diagonal = b_.CreateSelect(middle, number(0x1.921fb54442d18p-1), number(0));
    // Multiples of π/4 have few enough bits to be added up.
    begin = mul_add(sign, diagonal, begin);
    Value* begin_rest = mul(begin, number(0x1.1a62633145c07p-54 / 0x1.921fb54442d18p+0));
    const Sum sum = exact_sum(begin, mul(sign, t));
    b_.CreateRet(with_sign_of(add(sum.first, add(sum.rest, mul_add(sign, rest, begin_rest))), y));
  }

  // ---- exponentials

  // (e^r - 1 - r) / r² for |r| ≤ ln 2 / 2.
  Value* exponential_factor(Value* r) {
    return polynomial(r, {0.5, 0x1.5555555555557p-3, 0x1.5555555555558p-5, 0x1.11111111100bdp-7,
                          0x1.6c16c16c151cap-10, 0x1.a01a01abf87f5p-13, 0x1.a01a01ad0cec8p-16,
                          0x1.71de01fd5fa34p-19, 0x1.27e4cca2ebca9p-22, 0x1.af4e55f24122bp-26,
                          0x1.1f8b93ea49b62p-29});
  }

  // x = n·ln 2 + r + rest; `shifted` is n + kRound.
  struct Reduced {
    Value *shifted, *n, *r, *rest;
  };

  Reduced reduce(Value* x) {
    Value* shifted = mul_add(x, number(std::numbers::log2e), number(kRound));
    Value* n = sub(shifted, number(kRound));
    Value* exact = mul_add(n, number(-0x1.62e42fefa39efp-1), x);
    Value* r = mul_add(n, number(-0x1.abc9e3b39803fp-56), exact);
    return {shifted, n, r, mul_add(n, number(-0x1.abc9e3b39803fp-56), sub(exact, r))};
  }

  // x·2^n.  The factor is applied in two halves, because 2^n may be too small or too large.
  Value* scale(Value* x, Value* n) {
    Value* shifted = mul_add(n, number(0.5), number(kRound));
    Value* part = sub(shifted, number(kRound));
    return mul(mul(x, power_of_two(shifted)), power_of_two(add(sub(n, part), number(kRound))));
  }

  // e^(r + rest) for a small r.
  Sum small_exponential(Value* r, Value* rest) {
    const Sum one_more = exact_sum(number(1), r);
    return {one_more.first, mul_add(mul(r, r), exponential_factor(r), add(one_more.rest, rest))};
  }

  void exponential(Value* given) {
    const Reduced x = reduce(at_least(at_most(given, 710), -750));
    const Sum power = small_exponential(x.r, x.rest);
    Value* result = scale(add(power.first, power.rest), x.n);
    b_.CreateRet(b_.CreateSelect(b_.CreateFCmpUNO(given, given), given, result));
  }

  // (e^x - 1) / 2 for -80 ≤ x < 710.
  Sum half_exponential_minus_one(Value* given) {
    const Reduced x = reduce(given);
    Value* factor = power_of_two(sub(x.shifted, number(1)));
    const Sum whole = sum_of_any(factor, number(-0.5));
    Value* first = mul_add(factor, x.r, whole.first);
    Value* lost = add(mul_add(factor, x.r, sub(whole.first, first)), whole.rest);
    Value* more = mul_add(mul(x.r, x.r), exponential_factor(x.r), mul_add(x.r, x.rest, x.rest));
    return exact_sum(first, mul_add(factor, more, lost));
  }

  Sum quotient(const Sum& above, const Sum& below) {
    Value* inverse = b_.CreateFDiv(number(1), below.first);
    Value* most = mul(above.first, inverse);
    Value* error = mul_add(neg(most), below.first, above.first);
    error = mul_add(neg(most), below.rest, add(error, above.rest));
    return {most, mul(error, inverse)};
  }

  // With h = (e^2x - 1) / 2 for negative x: tanh x = h / (h + 1).
  void hyperbolic_tangent(Value* x) {
    const Sum h = half_exponential_minus_one(at_least(mul(size_of(x), number(-2)), -80));
    Sum below = exact_sum(number(1), h.first);
    below.rest = add(below.rest, h.rest);
    const Sum result = quotient(h, below);
    Value* signed_result = with_sign_of(add(result.first, result.rest), x);
    b_.CreateRet(b_.CreateSelect(b_.CreateFCmpOEQ(x, number(0)), x, signed_result));
  }

  // With h = (e^x - 1) / 2: sinh x = h + h / (2h + 1).
  void hyperbolic_sine(Value* x) {
    Value* size = size_of(x);
    unless_all(b_.CreateFCmpOLT(size, number(709)), "sinh");
    const Sum h = half_exponential_minus_one(size);
    Sum below = exact_sum(number(1), add(h.first, h.first));
    below.rest = add(below.rest, add(h.rest, h.rest));
    const Sum second = quotient(h, below);
    const Sum sum = exact_sum(h.first, second.first);
    Value* result = add(sum.first, add(sum.rest, add(h.rest, second.rest)));
    b_.CreateRet(b_.CreateSelect(b_.CreateFCmpOEQ(x, number(0)), x, with_sign_of(result, x)));
  }

  // With a = e^x / 2: cosh x = a + 1 / 4a.
  void hyperbolic_cosine(Value* x) {
    Value* size = size_of(x);
    unless_all(b_.CreateFCmpOLT(size, number(709)), "cosh");
    const Reduced reduced = reduce(size);
    Value* factor = power_of_two(sub(reduced.shifted, number(1)));
    const Sum power = small_exponential(reduced.r, reduced.rest);
    Value* a = mul(factor, power.first);
    Value* a_rest = mul(factor, power.rest);
    Value* second = b_.CreateFDiv(number(0.25), add(a, a_rest));
    const Sum sum = exact_sum(a, second);
    b_.CreateRet(add(sum.first, add(sum.rest, a_rest)));
  }

  // ---- logarithms

  // A logarithm of base B: the one of 2, in two parts whose first has few bits, and 1 / ln B.
  struct Base {
    double of_two, of_two_rest, per_natural, per_natural_rest;
  };
  static constexpr Base kNatural = {0x1.62e42fefa2000p-1, 0x1.9ef35793c7673p-41, 1, 0};
  static constexpr Base kBinary = {1, 0, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
  static constexpr Base kDecimal = {0x1.34413509f6000p-2, 0x1.9fef311f12b36p-42,
                                    0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};

  // x = 2^k · m with √½ ≤ m < √2, for positive x that are not subnormal.
  Value* mantissa(Value* x, Value*& k) {
    constexpr uint64_t kRootHalf = std::bit_cast<uint64_t>(std::numbers::sqrt2 / 2);
    Value* exponent =
        b_.CreateAShr(b_.CreateSub(bits(x), long_integer(kRootHalf)), long_integer(52));
    // k has few bits: it becomes an f64 without a conversion.
    k = sub(from_bits(b_.CreateAdd(exponent, bits(number(kRound)))), number(kRound));
    return from_bits(b_.CreateSub(bits(x), b_.CreateShl(exponent, long_integer(52))));
  }

  // m = 1 + f; ln m = f - f²/2 + s·(f²/2 + s²·R(s²)) with s = f / (2 + f).
  // `correction`, if any, is what has to be added to ln x.
  Value* logarithm(Value* given, const Base& base, Value* correction = nullptr) {
    Value* tiny = b_.CreateFCmpOLT(given, number(0x1p-1022));
    Value* k = nullptr;
    Value* m = mantissa(b_.CreateSelect(tiny, mul(given, number(0x1p54)), given), k);
    k = sub(k, b_.CreateSelect(tiny, number(54), number(0)));
    Value* f = sub(m, number(1));
    Value* s = b_.CreateFDiv(f, add(f, number(2)));
    Value* z = mul(s, s);
    Value* p = polynomial(
        z, {0x1.5555555555558p-1, 0x1.99999999951c0p-2, 0x1.2492492e0efb2p-2, 0x1.c71c62c21a3a2p-3,
            0x1.7462be2cad858p-3, 0x1.39fd33f4f06b4p-3, 0x1.2b662bd0f44a1p-3});
    const Sum half = exact_product(mul(f, number(0.5)), f);
    Value* r = mul(s, mul_add(z, p, half.first));
    const Sum most = exact_sum(f, neg(half.first));
    Value* first = most.first;
    Value* rest = add(sub(most.rest, half.rest), r);
    if (correction != nullptr) rest = add(rest, correction);
    if (base.per_natural != 1) {
      const Sum product = exact_product(first, number(base.per_natural));
      Value* small = mul_add(first, number(base.per_natural_rest), product.rest);
      rest = mul_add(rest, number(base.per_natural), small);
      first = product.first;
    }
    rest = mul_add(k, number(base.of_two_rest), rest);
    const Sum sum = exact_sum(mul(k, number(base.of_two)), first);
    return add(sum.first, add(sum.rest, rest));
  }

  Value* special_logarithms(Value* x, Value* result) {
    Value* usual =
        b_.CreateAnd(b_.CreateFCmpOGT(x, number(0)), b_.CreateFCmpOLT(x, number(kInfinity)));
    Value* special =
        b_.CreateSelect(b_.CreateFCmpOEQ(x, number(0)), number(-kInfinity), number(kNan));
    special = b_.CreateSelect(b_.CreateFCmpOEQ(x, number(kInfinity)), x, special);
    return b_.CreateSelect(usual, result, special);
  }

  // ln (1 + x) = ln u + c / u, if u + c is 1 + x and c is small.
  void logarithm_of_more_than_one(Value* x) {
    const Sum u = sum_of_any(number(1), x);
    Value* logarithm_of_u = logarithm(u.first, kNatural, b_.CreateFDiv(u.rest, u.first));
    Value* result = special_logarithms(u.first, logarithm_of_u);
    b_.CreateRet(b_.CreateSelect(b_.CreateFCmpOEQ(x, number(0)), x, result));
  }

  // ---- powers

  // x^y = 2^(y · log2 x) for positive x.
  void power(Value* base, Value* exponent) {
    Value* usual = b_.CreateAnd(b_.CreateFCmpOGE(base, number(0x1p-1022)),
                                b_.CreateFCmpOLT(base, number(kInfinity)));
    unless_all(b_.CreateAnd(usual, b_.CreateFCmpOLT(size_of(exponent), number(0x1p64))), "pow");
    const Sum log = binary_logarithm(base);
    const Sum product = exact_product(exponent, log.first);
    Value* rest = mul_add(exponent, log.rest, product.rest);
    // Beyond these it is infinity or zero, and the rest means nothing.
    Value* inside = b_.CreateFCmpOLT(size_of(product.first), number(1200));
    Value* p = at_least(at_most(product.first, 1200), -1200);
    rest = b_.CreateSelect(inside, rest, number(0));
    Value* n = sub(add(p, number(kRound)), number(kRound));
    Value* part = sub(p, n);
    const Sum r = exact_product(part, number(0x1.62e42fefa39efp-1));
    Value* r_rest = mul_add(part, number(0x1.abc9e3b39803fp-56), r.rest);
    const Sum all = exact_sum(r.first, mul_add(rest, number(0x1.62e42fefa39efp-1), r_rest));
    const Sum power = small_exponential(all.first, all.rest);
    b_.CreateRet(scale(add(power.first, power.rest), n));
  }

  // With s = (m - 1) / (m + 1): ln m / 2 = s·(1 + s²·(1/3 + s²·P(s²))), all but P as sums, so that
  // 63 bits of the logarithm are right: it may be multiplied by a thousand.
  Sum binary_logarithm(Value* x) {
    Value* k = nullptr;
    Value* m = mantissa(x, k);
    Value* above = sub(m, number(1));
    const Sum below = exact_sum(number(1), m);
    Value* inverse = b_.CreateFDiv(number(1), below.first);
    Value* s = mul(above, inverse);
    Value* error = mul_add(neg(s), below.first, above);
    Value* s_rest = mul(mul_add(neg(s), below.rest, error), inverse);
    Sum square = exact_product(s, s);
    square.rest = mul_add(add(s, s), s_rest, square.rest);
    Value* p =
        polynomial(square.first, {0x1.999999999999ap-3, 0x1.2492492492524p-3, 0x1.c71c71c6e9f38p-4,
                                  0x1.745d177b266f6p-4, 0x1.3b139598fbdcep-4, 0x1.1118d37799539p-4,
                                  0x1.df7a766f361a5p-5, 0x1.e045d4712d5fcp-5});
    Sum third = exact_sum(number(0x1.5555555555555p-2), mul(square.first, p));
    third.rest = add(third.rest, number(0x1.5555555555555p-56));
    Sum u = exact_product(square.first, third.first);
    u.rest = add(u.rest, mul_add(square.first, third.rest, mul(square.rest, third.first)));
    Sum v = exact_product(s, u.first);
    v.rest = add(v.rest, mul_add(s, u.rest, mul(s_rest, u.first)));
    Sum half = exact_sum(s, v.first);
    half.rest = add(half.rest, add(v.rest, s_rest));
    Sum scaled = exact_product(half.first, number(0x1.71547652b82fep+1));
    scaled.rest = mul_add(half.first, number(0x1.777d0ffda0d24p-55), scaled.rest);
    scaled.rest = mul_add(half.rest, number(0x1.71547652b82fep+1), scaled.rest);
    const Sum sum = exact_sum(k, scaled.first);
    return {sum.first, add(sum.rest, scaled.rest)};
  }
};

}  // namespace

void emit_doubles(llvm::Module& module, llvm::Function* fn, unsigned lanes, std::string_view name) {
  DoubleMaths(module, fn, lanes).emit(name);
}

}  // namespace skald::cpu
