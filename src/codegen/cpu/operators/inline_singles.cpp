// SPDX-License-Identifier: Apache-2.0
// Functions on vectors of f32.
#include <bit>
#include <limits>
#include <numbers>

#include "codegen/cpu/operators/inline_functions.h"

namespace skald::cpu {

namespace {

using llvm::Value;

class SingleMaths : public MathsEmitter {
 public:
  using MathsEmitter::MathsEmitter;

  void emit(std::string_view name) {
    Value* x = fn_->getArg(0);
    if (name == "sin") sine(x, 0);
    if (name == "cos") sine(x, 1);
    if (name == "exp") exponential(x);
    if (name == "log") logarithm(x, {0x1.62e4p-1, 0x1.7f7d1cp-20, 1, 0});
    if (name == "log2") logarithm(x, {1, 0, 0x1.715476p+0, 0x1.4ae0c0p-26});
    if (name == "log10") logarithm(x, {0x1.344p-2, 0x1.3509f8p-18, 0x1.bcb7b2p-2, -0x1.5b235ep-27});
    if (name == "pow") power(x, fn_->getArg(1));
  }

 private:
  // x = n·π/2 + r with |r| ≤ π/4 in f64, where products of n with the upper part of π/2 are exact;
  // then r as the sum of two f32.  n mod 4 says which of ±sin r, ±cos r it is.
  void sine(Value* x, int32_t quarters) {
    constexpr double kLargest = 0x1p20;
    Value* size = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    unless_all(b_.CreateFCmpOLT(size, single(kLargest)), quarters == 0 ? "sinf" : "cosf");
    Value* wide = widen(x);
    Value* shifted = mul_add(wide, number(2 / std::numbers::pi), number(kRound));
    Value* n = b_.CreateFSub(shifted, number(kRound));
    Value* exact = mul_add(n, number(-0x1.921fb544p+0), wide);
    exact = mul_add(n, number(-0x1.0b4611a626331p-34), exact);
    Value* r = narrow(exact);
    Value* rest = narrow(b_.CreateFSub(exact, widen(r)));
    Value* z = b_.CreateFMul(r, r);

    Value* p = polynomial(z, {-0.1666666666, 0.008333331874, -0.0001984008626, 2.724986466e-6});
    Value* sin_r = b_.CreateFAdd(r, mul_add(b_.CreateFMul(r, z), p, rest));
    // 1 - z/2, and what was lost when that was rounded.
    Value* half = b_.CreateFMul(z, single(0.5));
    Value* most = b_.CreateFSub(single(1), half);
    Value* lost = b_.CreateFSub(b_.CreateFSub(single(1), most), half);
    p = polynomial(z, {0.04166666466, -0.00138883028, 2.454789162e-5});
    lost = mul_add(b_.CreateFNeg(r), rest, lost);
    Value* cos_r = b_.CreateFAdd(most, mul_add(b_.CreateFMul(z, z), p, lost));

    Value* quarter = b_.CreateAdd(b_.CreateTrunc(bits(shifted), ints_), integer(quarters));
    Value* odd = b_.CreateICmpNE(b_.CreateAnd(quarter, integer(1)), integer(0));
    Value* sign = b_.CreateShl(b_.CreateAnd(quarter, integer(2)), integer(30));
    Value* result = from_bits(b_.CreateXor(bits(b_.CreateSelect(odd, cos_r, sin_r)), sign));
    // The sine of -0 is -0.
    if (quarters == 0) result = b_.CreateSelect(b_.CreateFCmpOEQ(x, single(0)), x, result);
    b_.CreateRet(result);
  }

  // e^x = 2^n · e^r with |r| ≤ ln 2 / 2.  The factor is applied in two halves, because 2^n may be
  // too small or too large for an f32 of its own.
  void exponential(Value* given) {
    constexpr double kRoundSingle = 0x1.8p23;
    Value* x = b_.CreateSelect(b_.CreateFCmpOGT(given, single(104)), single(104), given);
    x = b_.CreateSelect(b_.CreateFCmpOLT(x, single(-110)), single(-110), x);
    Value* shifted = mul_add(x, single(std::numbers::log2e), single(kRoundSingle));
    Value* n = b_.CreateFSub(shifted, single(kRoundSingle));
    Value* r = mul_add(n, single(-0x1.62e4p-1), x);
    r = mul_add(n, single(-0x1.7f7d1cp-20), r);
    Value* p = polynomial(r, {0.5, 0.1666657667, 0.04166655421, 0.008363232884, 0.001392625083});
    // 1 + r, and what was lost when that was rounded.
    Value* most = b_.CreateFAdd(r, single(1));
    Value* lost = b_.CreateFSub(r, b_.CreateFSub(most, single(1)));
    p = b_.CreateFAdd(most, mul_add(b_.CreateFMul(r, r), p, lost));
    Value* whole = b_.CreateSub(bits(shifted), bits(single(kRoundSingle)));
    Value* part = b_.CreateAShr(whole, integer(1));
    const auto power_of_two = [&](Value* exponent) {
      return from_bits(b_.CreateShl(b_.CreateAdd(exponent, integer(127)), integer(23)));
    };
    Value* result = b_.CreateFMul(p, power_of_two(part));
    result = b_.CreateFMul(result, power_of_two(b_.CreateSub(whole, part)));
    b_.CreateRet(b_.CreateSelect(b_.CreateFCmpUNO(given, given), given, result));
  }

  // A logarithm of base B: the one of 2, in two parts whose first has few bits, and 1 / ln B.
  struct Base {
    double of_two, of_two_rest, per_natural, per_natural_rest;
  };

  // x = 2^k · (1 + f) with √½ ≤ 1 + f < √2; ln (1 + f) = f + r with r = -f²/2 + f³·P(f).
  void logarithm(Value* given, const Base& base) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr int32_t kRootHalf = std::bit_cast<int32_t>(std::numbers::sqrt2_v<float> / 2);
    Value* tiny = b_.CreateFCmpOLT(given, single(0x1p-126));
    Value* x = b_.CreateSelect(tiny, b_.CreateFMul(given, single(0x1p23)), given);
    Value* exponent = b_.CreateAShr(b_.CreateSub(bits(x), integer(kRootHalf)), integer(23));
    Value* f = from_bits(b_.CreateSub(bits(x), b_.CreateShl(exponent, integer(23))));
    f = b_.CreateFSub(f, single(1));
    exponent = b_.CreateAdd(exponent, b_.CreateSelect(tiny, integer(-23), integer(0)));
    Value* k = b_.CreateSIToFP(exponent, singles_);
    Value* p =
        polynomial(f, {0.3333333118, -0.2499999696, 0.2000071575, -0.1666780232, 0.1424905765,
                       -0.1242568733, 0.1168541992, -0.1147973385, 0.06971611471});
    Value* z = b_.CreateFMul(f, f);
    Value* r = mul_add(b_.CreateFMul(z, f), p, b_.CreateFMul(z, single(-0.5)));
    Value* first = f;
    Value* rest = r;
    if (base.per_natural != 1) {
      first = b_.CreateFMul(f, single(base.per_natural));
      rest = mul_add(f, single(base.per_natural), b_.CreateFNeg(first));
      rest = mul_add(f, single(base.per_natural_rest), rest);
      rest = mul_add(r, single(base.per_natural), rest);
    }
    rest = mul_add(k, single(base.of_two_rest), rest);
    Value* large = b_.CreateFMul(k, single(base.of_two));
    Value* sum = b_.CreateFAdd(large, first);
    Value* lost = b_.CreateFAdd(b_.CreateFSub(large, sum), first);
    Value* result = b_.CreateFAdd(sum, b_.CreateFAdd(lost, rest));

    Value* usual = b_.CreateAnd(b_.CreateFCmpOGT(given, single(0)),
                                b_.CreateFCmpOLT(given, single(kInfinity)));
    Value* special = b_.CreateSelect(b_.CreateFCmpOEQ(given, single(0)), single(-kInfinity),
                                     single(std::numeric_limits<double>::quiet_NaN()));
    special = b_.CreateSelect(b_.CreateFCmpOEQ(given, single(kInfinity)), given, special);
    b_.CreateRet(b_.CreateSelect(usual, result, special));
  }

  // x^y = 2^(y · log2 x) in f64 for positive x.
  void power(Value* base, Value* exponent) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Value* positive =
        b_.CreateAnd(b_.CreateFCmpOGT(base, single(0)), b_.CreateFCmpOLT(base, single(kInfinity)));
    Value* size = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, exponent);
    unless_all(b_.CreateAnd(positive, b_.CreateFCmpOLT(size, single(kInfinity))), "powf");
    Value* product = b_.CreateFMul(widen(exponent), logarithm_of_two(widen(base)));
    b_.CreateRet(narrow(exponential_of_two(product)));
  }

  // x = 2^k · m with √½ ≤ m < √2; ln m = 2·artanh s with s = (m - 1) / (m + 1).  The error is below
  // 2^-43 of the result.
  Value* logarithm_of_two(Value* x) {
    constexpr uint64_t kRootHalf = std::bit_cast<uint64_t>(std::numbers::sqrt2 / 2);
    Value* k = b_.CreateAShr(b_.CreateSub(bits(x), long_integer(kRootHalf)), long_integer(52));
    Value* m = from_bits(b_.CreateSub(bits(x), b_.CreateShl(k, long_integer(52))));
    Value* s = b_.CreateFDiv(b_.CreateFSub(m, number(1)), b_.CreateFAdd(m, number(1)));
    Value* p = polynomial(b_.CreateFMul(s, s), {1, 0.33333333333687904029, 0.19999999398179781581,
                                                0.14285877367790901191, 0.11095694077360487635,
                                                0.096814499863246754696});
    // k has few bits: it becomes an f64 without a conversion.
    Value* large = from_bits(b_.CreateAdd(k, bits(number(kRound))));
    large = b_.CreateFSub(large, number(kRound));
    return mul_add(b_.CreateFMul(s, number(2 / std::numbers::ln2)), p, large);
  }

  // 2^x = 2^n · 2^r with |r| ≤ ½.  Beyond ±200 it is infinity or zero in f32 anyway.
  Value* exponential_of_two(Value* x) {
    x = b_.CreateSelect(b_.CreateFCmpOGT(x, number(200)), number(200), x);
    x = b_.CreateSelect(b_.CreateFCmpOLT(x, number(-200)), number(-200), x);
    Value* shifted = b_.CreateFAdd(x, number(kRound));
    Value* r = b_.CreateFSub(x, b_.CreateFSub(shifted, number(kRound)));
    Value* p =
        polynomial(r, {1, 0.69314718055994530942, 0.24022650922560760107, 0.05550410883930555143,
                       0.009618056620501079705, 0.0013333502341501558283, 0.00015461467905285987276,
                       0.000015297341622832270863});
    return from_bits(b_.CreateAdd(bits(p), b_.CreateShl(bits(shifted), long_integer(52))));
  }
};

}  // namespace

void emit_singles(llvm::Module& module, llvm::Function* fn, unsigned lanes, std::string_view name) {
  SingleMaths(module, fn, lanes).emit(name);
}

}  // namespace skald::cpu
