// SPDX-License-Identifier: Apache-2.0
// The corners of core/scalar/scalar.h: wrap-around, division, shifts, NaN, conversions, exact
// ranges.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "core/scalar/scalar.h"
#include "support/f16.h"

namespace skald::core {
namespace {

// Constants made without the library under test.
Const i(Prim type, int64_t value) {
  const int bits = prim_bits(type);
  const uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  return {type, static_cast<uint64_t>(value) & mask};
}
Const f(double value) {
  return {Prim::kF64, std::bit_cast<uint64_t>(value)};
}
Const f32(float value) {
  return {Prim::kF32, std::bit_cast<uint32_t>(value)};
}
Const f16(double value) {
  return {Prim::kF16, f64_to_f16(value)};
}
double as_double(const Const& c) {
  if (c.type == Prim::kF16) return f16_to_f32(static_cast<uint16_t>(c.bits));
  if (c.type == Prim::kF32) return std::bit_cast<float>(static_cast<uint32_t>(c.bits));
  return std::bit_cast<double>(c.bits);
}
int64_t bin(BinOpKind op, Prim type, int64_t a, int64_t b) {
  const Const c = eval(op, type, i(type, a), i(type, b));
  EXPECT_EQ(c.type, type);
  EXPECT_EQ(c.bits, i(type, static_cast<int64_t>(c.bits)).bits) << "not zero-extended";
  return static_cast<int64_t>(eval_convert(type, Prim::kI64, c).bits);
}
double un(UnOpKind op, double a) {
  return as_double(eval(op, Prim::kF64, f(a)));
}

const double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Scalar, IntegersWrapInEveryWidth) {
  EXPECT_EQ(bin(BinOpKind::kAdd, Prim::kI8, 127, 1), -128);
  EXPECT_EQ(bin(BinOpKind::kAdd, Prim::kU8, 255, 1), 0);
  EXPECT_EQ(bin(BinOpKind::kSub, Prim::kU16, 0, 1), 65535);
  EXPECT_EQ(bin(BinOpKind::kMul, Prim::kU16, 65535, 65535), 1);
  EXPECT_EQ(bin(BinOpKind::kMul, Prim::kI32, 1 << 30, 4), 0);
  EXPECT_EQ(bin(BinOpKind::kAdd, Prim::kI64, INT64_MAX, 1), INT64_MIN);
  EXPECT_EQ(bin(BinOpKind::kMul, Prim::kI64, INT64_MAX, INT64_MAX), 1);
}

TEST(Scalar, DivisionRoundsDownOrTowardZero) {
  for (Prim type : {Prim::kI8, Prim::kI16, Prim::kI32, Prim::kI64}) {
    for (int64_t a : {-7, -6, -1, 0, 1, 6, 7}) {
      for (int64_t b : {-3, -1, 1, 3}) {
        EXPECT_EQ(bin(BinOpKind::kQuot, type, a, b), a / b);
        EXPECT_EQ(bin(BinOpKind::kRem, type, a, b), a % b);
        const auto down = static_cast<int64_t>(std::floor(static_cast<double>(a) / b));
        EXPECT_EQ(bin(BinOpKind::kDiv, type, a, b), down);
        EXPECT_EQ(bin(BinOpKind::kMod, type, a, b), a - down * b);
      }
    }
    const int64_t min = type == Prim::kI64 ? INT64_MIN : -(1ll << (prim_bits(type) - 1));
    EXPECT_EQ(bin(BinOpKind::kDiv, type, min, -1), min);
    EXPECT_EQ(bin(BinOpKind::kQuot, type, min, -1), min);
    EXPECT_EQ(bin(BinOpKind::kMod, type, min, -1), 0);
    EXPECT_EQ(bin(BinOpKind::kRem, type, min, -1), 0);
    EXPECT_EQ(bin(BinOpKind::kDiv, type, 5, 0), 0);
    EXPECT_EQ(bin(BinOpKind::kQuot, type, 5, 0), 0);
    EXPECT_EQ(bin(BinOpKind::kMod, type, 5, 0), 5);
    EXPECT_EQ(bin(BinOpKind::kRem, type, -5, 0), -5);
  }
  EXPECT_EQ(bin(BinOpKind::kDiv, Prim::kU8, 255, 2), 127);
  EXPECT_EQ(bin(BinOpKind::kMod, Prim::kU8, 255, 16), 15);
}

TEST(Scalar, Pow) {
  EXPECT_EQ(bin(BinOpKind::kPow, Prim::kI32, 3, 4), 81);
  EXPECT_EQ(bin(BinOpKind::kPow, Prim::kI32, -2, 31), INT32_MIN);
  EXPECT_EQ(bin(BinOpKind::kPow, Prim::kI32, 2, 32), 0);
  EXPECT_EQ(bin(BinOpKind::kPow, Prim::kU8, 3, 255), 171);
  EXPECT_EQ(bin(BinOpKind::kPow, Prim::kI64, 0, 0), 1);
  EXPECT_EQ(bin(BinOpKind::kPow, Prim::kI64, 2, -1), 0);
  EXPECT_EQ(bin(BinOpKind::kPow, Prim::kI64, 1, -5), 1);
  EXPECT_EQ(bin(BinOpKind::kPow, Prim::kI64, -1, -5), -1);
  EXPECT_EQ(bin(BinOpKind::kPow, Prim::kI64, -1, -4), 1);
}

TEST(Scalar, ShiftsAreTotal) {
  EXPECT_EQ(bin(BinOpKind::kShl, Prim::kI8, 1, 7), -128);
  EXPECT_EQ(bin(BinOpKind::kShl, Prim::kI32, -1, 32), 0);
  EXPECT_EQ(bin(BinOpKind::kShl, Prim::kI64, 1, 64), 0);
  EXPECT_EQ(bin(BinOpKind::kShl, Prim::kI32, 1, -1), 0);
  EXPECT_EQ(bin(BinOpKind::kShr, Prim::kI32, -8, 1), -4);
  EXPECT_EQ(bin(BinOpKind::kShr, Prim::kI32, -8, 99), -1);
  EXPECT_EQ(bin(BinOpKind::kShr, Prim::kU8, 0x80, 1), 0x40);
  EXPECT_EQ(bin(BinOpKind::kLshr, Prim::kI8, -1, 1), 127);
  EXPECT_EQ(bin(BinOpKind::kLshr, Prim::kI64, -1, 64), 0);
  EXPECT_EQ(bin(BinOpKind::kAshr, Prim::kU8, 0x80, 1), 0xc0);
  EXPECT_EQ(bin(BinOpKind::kAshr, Prim::kU16, 0x8000, 200), 0xffff);
}

TEST(Scalar, UpperHalfOfProducts) {
  EXPECT_EQ(bin(BinOpKind::kMulHi, Prim::kI8, -128, -128), 64);
  EXPECT_EQ(bin(BinOpKind::kMulHi, Prim::kU8, 255, 255), 254);
  EXPECT_EQ(bin(BinOpKind::kMulHi, Prim::kI32, -1, 1), -1);
  EXPECT_EQ(bin(BinOpKind::kMulHi, Prim::kU32, -1, -1), 0xfffffffe);
  EXPECT_EQ(bin(BinOpKind::kMulHi, Prim::kI64, INT64_MIN, INT64_MIN), 1ll << 62);
  EXPECT_EQ(static_cast<uint64_t>(bin(BinOpKind::kMulHi, Prim::kU64, -1, -1)), ~1ull);
  const Const sum =
      eval(TernOpKind::kMadHi, Prim::kU8, i(Prim::kU8, 255), i(Prim::kU8, 255), i(Prim::kU8, 3));
  EXPECT_EQ(sum.bits, 1u);
}

TEST(Scalar, BitCounts) {
  for (Prim type : {Prim::kI8, Prim::kI16, Prim::kI32, Prim::kI64, Prim::kU8, Prim::kU64}) {
    const auto bits = static_cast<uint64_t>(prim_bits(type));
    EXPECT_EQ(eval(UnOpKind::kClz, type, i(type, 0)), (Const{Prim::kI32, bits}));
    EXPECT_EQ(eval(UnOpKind::kCtz, type, i(type, 0)).bits, bits);
    EXPECT_EQ(eval(UnOpKind::kClz, type, i(type, -1)).bits, 0u);
    EXPECT_EQ(eval(UnOpKind::kPopc, type, i(type, -1)).bits, bits);
    EXPECT_EQ(eval(UnOpKind::kCtz, type, i(type, 4)).bits, 2u);
    EXPECT_EQ(eval(UnOpKind::kClz, type, i(type, 1)).bits, bits - 1);
  }
}

TEST(Scalar, UnaryIntegers) {
  EXPECT_EQ(eval(UnOpKind::kNeg, Prim::kI8, i(Prim::kI8, -128)), i(Prim::kI8, -128));
  EXPECT_EQ(eval(UnOpKind::kAbs, Prim::kI32, i(Prim::kI32, INT32_MIN)), i(Prim::kI32, INT32_MIN));
  EXPECT_EQ(eval(UnOpKind::kAbs, Prim::kU8, i(Prim::kU8, 200)), i(Prim::kU8, 200));
  EXPECT_EQ(eval(UnOpKind::kSgn, Prim::kI64, i(Prim::kI64, -9)), i(Prim::kI64, -1));
  EXPECT_EQ(eval(UnOpKind::kSgn, Prim::kU8, i(Prim::kU8, 200)), i(Prim::kU8, 1));
  EXPECT_EQ(eval(UnOpKind::kNot, Prim::kU16, i(Prim::kU16, 1)), i(Prim::kU16, 0xfffe));
  EXPECT_EQ(eval(UnOpKind::kNot, Prim::kBool, Const{Prim::kBool, 1}), (Const{Prim::kBool, 0}));
}

TEST(Scalar, MinAndMaxOfFloatsAvoidNan) {
  const auto min = [](double a, double b) {
    return as_double(eval(BinOpKind::kMin, Prim::kF64, f(a), f(b)));
  };
  const auto max = [](double a, double b) {
    return as_double(eval(BinOpKind::kMax, Prim::kF64, f(a), f(b)));
  };
  EXPECT_EQ(min(kNan, 1), 1);
  EXPECT_EQ(min(1, kNan), 1);
  EXPECT_EQ(max(kNan, -kInf), -kInf);
  EXPECT_TRUE(std::isnan(max(kNan, kNan)));
  EXPECT_TRUE(std::signbit(min(0.0, -0.0)));
  EXPECT_TRUE(std::signbit(min(-0.0, 0.0)));
  EXPECT_FALSE(std::signbit(max(0.0, -0.0)));
  EXPECT_FALSE(std::signbit(max(-0.0, 0.0)));
}

TEST(Scalar, FloatArithmetic) {
  EXPECT_EQ(as_double(eval(BinOpKind::kMod, Prim::kF64, f(-7.5), f(2))), -1.5);
  EXPECT_EQ(as_double(eval(BinOpKind::kDiv, Prim::kF64, f(1), f(0))), kInf);
  EXPECT_EQ(as_double(eval(BinOpKind::kLdexp, Prim::kF32, f32(1.5f), i(Prim::kI32, -1))), 0.75);
  EXPECT_EQ(un(UnOpKind::kRound, 2.5), 2);
  EXPECT_EQ(un(UnOpKind::kRound, 3.5), 4);
  EXPECT_EQ(un(UnOpKind::kRound, -0.5), 0);
  EXPECT_EQ(un(UnOpKind::kTrunc, -1.9), -1);
  EXPECT_EQ(un(UnOpKind::kTrunc, 1e300), 1e300);
  EXPECT_EQ(un(UnOpKind::kSgn, -3), -1);
  EXPECT_TRUE(std::isnan(un(UnOpKind::kSgn, kNan)));
  EXPECT_EQ(un(UnOpKind::kRsqrt, 4), 0.5);
  EXPECT_DOUBLE_EQ(un(UnOpKind::kGamma, 5), 24);
  EXPECT_DOUBLE_EQ(un(UnOpKind::kLgamma, 5), std::log(24.0));
  EXPECT_NEAR(un(UnOpKind::kLgamma, -0.5), 1.2655121234846454, 1e-15);
  EXPECT_NEAR(un(UnOpKind::kErf, 1), 0.84270079294971487, 1e-15);
  // fma rounds once, mad twice: (1+e)(1-e) - 1 = -e², lost by a rounded product.
  const double e = std::ldexp(1.0, -30);
  EXPECT_EQ(as_double(eval(TernOpKind::kFma, Prim::kF64, f(1 + e), f(1 - e), f(-1))), -e * e);
  EXPECT_EQ(as_double(eval(TernOpKind::kMad, Prim::kF64, f(1 + e), f(1 - e), f(-1))), 0);
  EXPECT_EQ(as_double(eval(TernOpKind::kLerp, Prim::kF32, f32(2), f32(6), f32(0.25f))), 3);
}

TEST(Scalar, AnglesInHalfTurnsAreExactWhereTheyCanBe) {
  EXPECT_EQ(un(UnOpKind::kSinPi, 0.5), 1);
  EXPECT_EQ(un(UnOpKind::kSinPi, -0.5), -1);
  EXPECT_EQ(un(UnOpKind::kSinPi, 1e15 + 0.5), 1);
  EXPECT_EQ(un(UnOpKind::kSinPi, 3), 0);
  EXPECT_FALSE(std::signbit(un(UnOpKind::kSinPi, 3)));
  EXPECT_TRUE(std::signbit(un(UnOpKind::kSinPi, -3)));
  EXPECT_EQ(un(UnOpKind::kCosPi, 0.5), 0);
  EXPECT_FALSE(std::signbit(un(UnOpKind::kCosPi, 0.5)));
  EXPECT_EQ(un(UnOpKind::kCosPi, 1), -1);
  EXPECT_EQ(un(UnOpKind::kCosPi, 1e300), 1);
  EXPECT_EQ(un(UnOpKind::kTanPi, 0.25), 1);
  EXPECT_EQ(un(UnOpKind::kTanPi, -0.25), -1);
  EXPECT_EQ(un(UnOpKind::kTanPi, 0.75), -1);
  EXPECT_EQ(un(UnOpKind::kTanPi, 1.25), 1);
  EXPECT_EQ(un(UnOpKind::kTanPi, 0.5), kInf);
  EXPECT_TRUE(std::isnan(un(UnOpKind::kSinPi, kInf)));
  EXPECT_EQ(un(UnOpKind::kAsinPi, 1), 0.5);
  EXPECT_EQ(un(UnOpKind::kAcosPi, -1), 1);
  EXPECT_EQ(un(UnOpKind::kAtanPi, 1), 0.25);
  EXPECT_EQ(as_double(eval(BinOpKind::kAtan2Pi, Prim::kF64, f(1), f(-1))), 0.75);
  for (double x = -3; x < 3; x += 0.0625) {
    EXPECT_NEAR(un(UnOpKind::kSinPi, x), std::sin(M_PI * x), 1e-14);
    EXPECT_NEAR(un(UnOpKind::kCosPi, x), std::cos(M_PI * x), 1e-14);
    if (std::fabs(std::cos(M_PI * x)) > 0.01) {
      EXPECT_NEAR(un(UnOpKind::kTanPi, x), std::tan(M_PI * x), 1e-12);
    }
  }
}

TEST(Scalar, HalfPrecision) {
  EXPECT_EQ(eval(BinOpKind::kAdd, Prim::kF16, f16(2048), f16(1)), f16(2048));
  EXPECT_EQ(as_double(eval(BinOpKind::kMul, Prim::kF16, f16(300), f16(300))), kInf);
  EXPECT_EQ(eval(UnOpKind::kSqrt, Prim::kF16, f16(2)), f16(std::sqrt(2.0)));
  EXPECT_EQ(eval(BinOpKind::kNextafter, Prim::kF16, f16(1), f16(2)).bits, f16(1).bits + 1);
  EXPECT_EQ(eval(BinOpKind::kNextafter, Prim::kF16, f16(1), f16(0)).bits, f16(1).bits - 1);
  EXPECT_EQ(eval(BinOpKind::kNextafter, Prim::kF16, f16(0), f16(-1)).bits, 0x8001u);
  EXPECT_EQ(eval(BinOpKind::kNextafter, Prim::kF16, f16(-1), f16(-2)).bits, f16(-1).bits + 1);
  EXPECT_EQ(eval(CmpOpKind::kLt, Prim::kF16, f16(-1), f16(0.5)).bits, 1u);
}

TEST(Scalar, Comparisons) {
  const auto lt = [](const Const& a, const Const& b) {
    return eval(CmpOpKind::kLt, a.type, a, b).bits == 1;
  };
  EXPECT_TRUE(lt(i(Prim::kI8, -1), i(Prim::kI8, 0)));
  EXPECT_FALSE(lt(i(Prim::kU8, -1), i(Prim::kU8, 0)));
  EXPECT_TRUE(lt(i(Prim::kI64, INT64_MIN), i(Prim::kI64, INT64_MAX)));
  EXPECT_TRUE(lt({Prim::kBool, 0}, {Prim::kBool, 1}));
  EXPECT_FALSE(lt(f(kNan), f(1)));
  EXPECT_EQ(eval(CmpOpKind::kNe, Prim::kF64, f(kNan), f(kNan)).bits, 1u);
  EXPECT_EQ(eval(CmpOpKind::kEq, Prim::kF64, f(0.0), f(-0.0)).bits, 1u);
  EXPECT_EQ(eval(CmpOpKind::kLe, Prim::kF64, f(kNan), f(kNan)).bits, 0u);
}

TEST(Scalar, Conversions) {
  const auto convert = [](const Const& c, Prim to) { return eval_convert(c.type, to, c); };
  EXPECT_EQ(convert(i(Prim::kI8, -1), Prim::kU32), i(Prim::kU32, 0xffffffff));
  EXPECT_EQ(convert(i(Prim::kU8, 255), Prim::kI64), i(Prim::kI64, 255));
  EXPECT_EQ(convert(i(Prim::kI64, 0x1ff), Prim::kU8), i(Prim::kU8, 0xff));
  EXPECT_EQ(convert(f(kNan), Prim::kI32), i(Prim::kI32, 0));
  EXPECT_EQ(convert(f(kInf), Prim::kI64), i(Prim::kI64, 0));
  EXPECT_EQ(convert(f(-kInf), Prim::kU8), i(Prim::kU8, 0));
  EXPECT_EQ(convert(f(1e300), Prim::kI64), i(Prim::kI64, INT64_MAX));
  EXPECT_EQ(convert(f(-1e300), Prim::kI64), i(Prim::kI64, INT64_MIN));
  EXPECT_EQ(convert(f32(3e9f), Prim::kI32), i(Prim::kI32, INT32_MAX));
  EXPECT_EQ(convert(f(300), Prim::kU8), i(Prim::kU8, 255));
  EXPECT_EQ(convert(f(-0.9), Prim::kU8), i(Prim::kU8, 0));
  EXPECT_EQ(convert(f(-3.5), Prim::kU32), i(Prim::kU32, -3));
  EXPECT_EQ(convert(f(-1), Prim::kU64), i(Prim::kU64, -1));
  EXPECT_EQ(convert(f(-128.9), Prim::kI8), i(Prim::kI8, -128));
  EXPECT_EQ(convert(f(-2.9), Prim::kI16), i(Prim::kI16, -2));
  EXPECT_EQ(convert(i(Prim::kU64, -1), Prim::kF64), f(18446744073709551616.0));
  EXPECT_EQ(convert(i(Prim::kI64, INT64_MIN), Prim::kF32), f32(-9223372036854775808.0f));
  EXPECT_EQ(convert(i(Prim::kI32, 65520), Prim::kF16), f16(kInf));
  EXPECT_EQ(convert(f(1 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)), Prim::kF16).bits,
            f16(1).bits + 1)
      << "through f32 this would round twice";
  EXPECT_EQ(convert(f(0.5), Prim::kBool), (Const{Prim::kBool, 1}));
  EXPECT_EQ(convert(f(-0.0), Prim::kBool), (Const{Prim::kBool, 0}));
  EXPECT_EQ(convert({Prim::kBool, 1}, Prim::kF16), f16(1));
  EXPECT_EQ(eval_bitcast(Prim::kF32, Prim::kU32, f32(1)), i(Prim::kU32, 0x3f800000));
}

}  // namespace
}  // namespace skald::core
