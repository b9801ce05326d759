// SPDX-License-Identifier: Apache-2.0
// The scalar operators.  All are total: no operand makes them trap.  What Futhark leaves undefined
// is defined here, so that every back end agrees; the front end adds checks where the language asks
// for an error.  core/scalar/scalar.h computes them; its comments are the last word.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "support/prim.h"

namespace skald::core {

// X(enumerator, mnemonic): the printed form is mnemonic_type, e.g. add_i32.
//
// Integers wrap.  div/mod round toward negative infinity, quot/rem toward zero; x div 0 = x quot 0
// = 0, x mod 0 = x rem 0 = x, and MIN div -1 = MIN.  On floats div is IEEE division and mod is
// fmod. pow on integers wraps; a negative exponent gives 0 (1 for base 1, ±1 for base -1). min/max
// of floats return the operand that is not NaN. shl/shr/lshr/ashr: shr is arithmetic on signed and
// logical on unsigned types, lshr always logical, ashr always arithmetic; the count is read as
// unsigned, a count >= bits gives 0 or the sign fill. and/or/xor: integers and bool.  mul_hi: the
// upper half of the double-width product. ldexp: the second operand is an i32.
// clang-format off
#define SKALD_CORE_BINOPS(X) \
  X(kAdd, "add") \
  X(kSub, "sub") \
  X(kMul, "mul") \
  X(kDiv, "div") \
  X(kMod, "mod") \
  X(kQuot, "quot") \
  X(kRem, "rem") \
  X(kPow, "pow") \
  X(kMin, "min") \
  X(kMax, "max") \
  X(kAnd, "and") \
  X(kOr, "or") \
  X(kXor, "xor") \
  X(kShl, "shl") \
  X(kShr, "shr") \
  X(kLshr, "lshr") \
  X(kAshr, "ashr") \
  X(kMulHi, "mul_hi") \
  X(kAtan2, "atan2") \
  X(kAtan2Pi, "atan2pi") \
  X(kHypot, "hypot") \
  X(kCopysign, "copysign") \
  X(kNextafter, "nextafter") \
  X(kLdexp, "ldexp")
// clang-format on

// neg: integers (wraps) and floats.  not: bool and integers (complement).  abs, sgn: numbers.
// popc, clz, ctz: integers, result i32; clz 0 = ctz 0 = bits.  isnan, isinf: floats, result bool.
// The rest: floats.  round is to nearest even.  gamma is the true gamma function, lgamma
// log|gamma|.
// clang-format off
#define SKALD_CORE_UNOPS(X) \
  X(kNeg, "neg") \
  X(kNot, "not") \
  X(kAbs, "abs") \
  X(kSgn, "sgn") \
  X(kPopc, "popc") \
  X(kClz, "clz") \
  X(kCtz, "ctz") \
  X(kIsNan, "isnan") \
  X(kIsInf, "isinf") \
  X(kSqrt, "sqrt") \
  X(kRsqrt, "rsqrt") \
  X(kCbrt, "cbrt") \
  X(kExp, "exp") \
  X(kLog, "log") \
  X(kLog2, "log2") \
  X(kLog10, "log10") \
  X(kLog1p, "log1p") \
  X(kSin, "sin") \
  X(kCos, "cos") \
  X(kTan, "tan") \
  X(kSinPi, "sinpi") \
  X(kCosPi, "cospi") \
  X(kTanPi, "tanpi") \
  X(kAsin, "asin") \
  X(kAcos, "acos") \
  X(kAtan, "atan") \
  X(kAsinPi, "asinpi") \
  X(kAcosPi, "acospi") \
  X(kAtanPi, "atanpi") \
  X(kSinh, "sinh") \
  X(kCosh, "cosh") \
  X(kTanh, "tanh") \
  X(kAsinh, "asinh") \
  X(kAcosh, "acosh") \
  X(kAtanh, "atanh") \
  X(kGamma, "gamma") \
  X(kLgamma, "lgamma") \
  X(kErf, "erf") \
  X(kErfc, "erfc") \
  X(kCeil, "ceil") \
  X(kFloor, "floor") \
  X(kTrunc, "trunc") \
  X(kRound, "round")
// clang-format on

// eq, ne: every primitive; lt, le: every primitive, false < true.  (a > b is lt(b, a).)
#define SKALD_CORE_CMPOPS(X) X(kEq, "eq") X(kNe, "ne") X(kLt, "lt") X(kLe, "le")

// fma(a, b, c): a*b + c rounded once.  mad: rounded twice.  lerp(v0, v1, t) = v0 + (v1 - v0) * t.
// mad_hi(a, b, c) = mul_hi(a, b) + c on integers.
#define SKALD_CORE_TERNOPS(X) X(kFma, "fma") X(kMad, "mad") X(kLerp, "lerp") X(kMadHi, "mad_hi")

#define SKALD_ENUMERATOR(enumerator, mnemonic) enumerator,
enum class BinOpKind : uint8_t { SKALD_CORE_BINOPS(SKALD_ENUMERATOR) };
enum class UnOpKind : uint8_t { SKALD_CORE_UNOPS(SKALD_ENUMERATOR) };
enum class CmpOpKind : uint8_t { SKALD_CORE_CMPOPS(SKALD_ENUMERATOR) };
enum class TernOpKind : uint8_t { SKALD_CORE_TERNOPS(SKALD_ENUMERATOR) };
#undef SKALD_ENUMERATOR

std::string_view mnemonic(BinOpKind op);
std::string_view mnemonic(UnOpKind op);
std::string_view mnemonic(CmpOpKind op);
std::string_view mnemonic(TernOpKind op);
std::optional<BinOpKind> binop_from_mnemonic(std::string_view text);
std::optional<UnOpKind> unop_from_mnemonic(std::string_view text);
std::optional<CmpOpKind> cmpop_from_mnemonic(std::string_view text);
std::optional<TernOpKind> ternop_from_mnemonic(std::string_view text);

// Is the operator defined on operands of this type?
bool is_legal(BinOpKind op, Prim type);
bool is_legal(UnOpKind op, Prim type);
bool is_legal(CmpOpKind op, Prim type);
bool is_legal(TernOpKind op, Prim type);

// i32 for popc/clz/ctz, bool for isnan/isinf, else `type`.
Prim result_type(UnOpKind op, Prim type);

bool is_commutative(BinOpKind op);
bool is_associative(BinOpKind op, Prim type);  // up to float rounding

}  // namespace skald::core
