// SPDX-License-Identifier: Apache-2.0
#include "frontend/lazy/lower/scalar_ops.h"

#include <limits>
#include <string>
#include <unordered_map>

#include "frontend/lazy/lower/complex_ops.h"

namespace skald::lazy {

using namespace core;

Prim prim_of(DType type) {
  static constexpr Prim kPrims[] = {Prim::kBool, Prim::kI8,  Prim::kU8,  Prim::kI16, Prim::kU16,
                                    Prim::kI32,  Prim::kU32, Prim::kI64, Prim::kU64, Prim::kF16,
                                    Prim::kF32,  Prim::kF64, Prim::kF32, Prim::kF64};
  return kPrims[static_cast<int>(type)];
}

namespace {

enum Domain : uint8_t { kFloats = 1, kInts = 2, kBools = 4, kNumbers = 3, kAll = 7 };

using Args = const std::vector<Operand>&;
using Writer = Operand (*)(Builder& b, Prim type, Args args);

struct Row {
  Domain domain;
  int cost;
  Writer write;
};

Operand select(Builder& b, Prim type, Operand cond, Operand then, Operand otherwise) {
  return b.let1(scalar_type(type), Select{cond, then, otherwise});
}
Operand zero(Prim type) {
  return skald::is_float(type) ? Operand(const_float(type, 0))
         : type == Prim::kBool ? Operand(const_bool(false))
                               : Operand(const_int(type, 0));
}
Operand one(Prim type) {
  return skald::is_float(type) ? Operand(const_float(type, 1))
         : type == Prim::kBool ? Operand(const_bool(true))
                               : Operand(const_int(type, 1));
}
Operand truth(Builder& b, Prim type, Operand x) {
  return type == Prim::kBool ? x : b.cmpop(CmpOpKind::kNe, type, x, zero(type));
}

template <BinOpKind op>
Operand binary(Builder& b, Prim type, Args args) {
  return b.binop(op, type, args[0], args[1]);
}
// Booleans have their own addition and multiplication.
template <BinOpKind op, BinOpKind for_bool>
Operand arithmetic(Builder& b, Prim type, Args args) {
  return b.binop(type == Prim::kBool ? for_bool : op, type, args[0], args[1]);
}
template <UnOpKind op>
Operand unary(Builder& b, Prim type, Args args) {
  return b.unop(op, type, args[0]);
}
template <CmpOpKind op, bool swapped>
Operand compare(Builder& b, Prim type, Args args) {
  return b.cmpop(op, type, args[swapped ? 1 : 0], args[swapped ? 0 : 1]);
}
template <BinOpKind op>
Operand logical(Builder& b, Prim type, Args args) {
  return b.binop(op, Prim::kBool, truth(b, type, args[0]), truth(b, type, args[1]));
}
Operand same(Builder&, Prim, Args args) {
  return args[0];
}

// The larger one; a NaN wins.  Of equal ones, which differ in the sign of zero, the second one, as
// vector instructions of x86 have it and so NumPy; for f16, which it does without these, the first.
template <bool larger>
Operand extreme(Builder& b, Prim type, Args args) {
  if (type == Prim::kBool)
    return b.binop(larger ? BinOpKind::kOr : BinOpKind::kAnd, type, args[0], args[1]);
  if (!skald::is_float(type))
    return b.binop(larger ? BinOpKind::kMax : BinOpKind::kMin, type, args[0], args[1]);
  const CmpOpKind test = type == Prim::kF16 ? CmpOpKind::kLe : CmpOpKind::kLt;
  const Operand before =
      larger ? b.cmpop(test, type, args[1], args[0]) : b.cmpop(test, type, args[0], args[1]);
  const Operand first = b.logical_or(before, b.cmpop(CmpOpKind::kNe, type, args[0], args[0]));
  return select(b, type, first, args[0], args[1]);
}
// The same where a number wins against a NaN.
template <bool larger>
Operand extreme_number(Builder& b, Prim type, Args args) {
  if (!skald::is_float(type))
    return b.binop(larger ? BinOpKind::kMax : BinOpKind::kMin, type, args[0], args[1]);
  const CmpOpKind test = type == Prim::kF16 ? CmpOpKind::kLe : CmpOpKind::kLt;
  const Operand before =
      larger ? b.cmpop(test, type, args[1], args[0]) : b.cmpop(test, type, args[0], args[1]);
  const Operand first = b.logical_or(before, b.cmpop(CmpOpKind::kNe, type, args[1], args[1]));
  return select(b, type, first, args[0], args[1]);
}
Operand absolute(Builder& b, Prim type, Args args) {
  return skald::is_unsigned_int(type) || type == Prim::kBool
             ? args[0]
             : b.unop(UnOpKind::kAbs, type, args[0]);
}
Operand sign(Builder& b, Prim type, Args args) {
  if (!skald::is_float(type)) return b.unop(UnOpKind::kSgn, type, args[0]);
  const Operand positive = b.cmpop(CmpOpKind::kLt, type, zero(type), args[0]);
  const Operand negative = b.cmpop(CmpOpKind::kLt, type, args[0], zero(type));
  const Operand is_zero = b.cmpop(CmpOpKind::kEq, type, args[0], zero(type));
  const Operand rest = select(b, type, is_zero, zero(type), args[0]);
  return select(b, type, positive, one(type),
                select(b, type, negative, const_float(type, -1), rest));
}
Operand square(Builder& b, Prim type, Args args) {
  return b.binop(type == Prim::kBool ? BinOpKind::kAnd : BinOpKind::kMul, type, args[0], args[0]);
}
Operand reciprocal(Builder& b, Prim type, Args args) {
  return b.binop(BinOpKind::kDiv, type, one(type), args[0]);
}
Operand divide(Builder& b, Prim type, Args args) {
  // Halves are exact.
  if (const Const* divisor = as_const(args[1]); divisor && skald::is_float(type)) {
    const double value = float_value(*divisor);
    if (value == 2 || value == 4)
      return b.binop(BinOpKind::kMul, type, args[0], const_float(type, 1 / value));
  }
  return b.binop(BinOpKind::kDiv, type, args[0], args[1]);
}
Operand power(Builder& b, Prim type, Args args) {
  if (const Const* exponent = as_const(args[1])) {
    const double value = float_value(*exponent);
    if (value >= 3 && value <= 6 && value == static_cast<int>(value)) {
      const Operand two = b.binop(BinOpKind::kMul, type, args[0], args[0]);
      const Operand more = b.binop(BinOpKind::kMul, type, two, value == 3 ? args[0] : two);
      if (value < 5) return more;
      return b.binop(BinOpKind::kMul, type, more, value == 5 ? args[0] : two);
    }
  }
  return b.binop(BinOpKind::kPow, type, args[0], args[1]);
}
// The sign of the divisor, as Python's.
Operand float_remainder(Builder& b, Prim type, Args args) {
  const Operand rest = b.binop(BinOpKind::kMod, type, args[0], args[1]);
  const Operand rest_negative = b.cmpop(CmpOpKind::kLt, type, rest, zero(type));
  const Operand divisor_negative = b.cmpop(CmpOpKind::kLt, type, args[1], zero(type));
  const Operand differ = b.binop(BinOpKind::kXor, Prim::kBool, rest_negative, divisor_negative);
  const Operand moved =
      select(b, type, differ, b.binop(BinOpKind::kAdd, type, rest, args[1]), rest);
  const Operand is_zero = b.cmpop(CmpOpKind::kEq, type, rest, zero(type));
  return select(b, type, is_zero, b.binop(BinOpKind::kCopysign, type, zero(type), args[1]), moved);
}
Operand remainder(Builder& b, Prim type, Args args) {
  if (skald::is_float(type)) return float_remainder(b, type, args);
  const Operand by_zero = b.cmpop(CmpOpKind::kEq, type, args[1], zero(type));
  return select(b, type, by_zero, zero(type), b.binop(BinOpKind::kMod, type, args[0], args[1]));
}
Operand floor_divide(Builder& b, Prim type, Args args) {
  if (!skald::is_float(type)) return b.binop(BinOpKind::kDiv, type, args[0], args[1]);
  const Operand plain = b.binop(BinOpKind::kDiv, type, args[0], args[1]);
  const Operand rest = float_remainder(b, type, args);
  const Operand exact =
      b.binop(BinOpKind::kDiv, type, b.binop(BinOpKind::kSub, type, args[0], rest), args[1]);
  const Operand down = b.unop(UnOpKind::kFloor, type, exact);
  const Operand off = b.cmpop(CmpOpKind::kLt, type, const_float(type, 0.5),
                              b.binop(BinOpKind::kSub, type, exact, down));
  const Operand rounded =
      select(b, type, off, b.binop(BinOpKind::kAdd, type, down, one(type)), down);
  const Operand is_zero = b.cmpop(CmpOpKind::kEq, type, exact, zero(type));
  const Operand signed_zero = b.binop(BinOpKind::kCopysign, type, zero(type), plain);
  const Operand by_zero = b.cmpop(CmpOpKind::kEq, type, args[1], zero(type));
  return select(b, type, by_zero, plain, select(b, type, is_zero, signed_zero, rounded));
}
Operand is_finite(Builder& b, Prim type, Args args) {
  if (!skald::is_float(type)) return const_bool(true);
  const Operand strange = b.logical_or(b.unop(UnOpKind::kIsNan, type, args[0]),
                                       b.unop(UnOpKind::kIsInf, type, args[0]));
  return b.logical_not(strange);
}
template <UnOpKind op>
Operand predicate(Builder& b, Prim type, Args args) {
  if (!skald::is_float(type)) return const_bool(false);
  return b.unop(op, type, args[0]);
}
Operand logical_not(Builder& b, Prim type, Args args) {
  return b.logical_not(truth(b, type, args[0]));
}
Operand choose(Builder& b, Prim type, Args args) {
  return select(b, type, args[0], args[1], args[2]);
}
template <bool to_radians>
Operand angle(Builder& b, Prim type, Args args) {
  constexpr double kPi = 3.141592653589793238462643383279502884;
  return b.binop(BinOpKind::kMul, type, args[0],
                 const_float(type, to_radians ? kPi / 180 : 180 / kPi));
}

const std::unordered_map<std::string_view, Row>& table() {
  static const auto* const rows = new std::unordered_map<std::string_view, Row>{
      {"add", {kAll, 1, arithmetic<BinOpKind::kAdd, BinOpKind::kOr>}},
      {"subtract", {kNumbers, 1, binary<BinOpKind::kSub>}},
      {"multiply", {kAll, 1, arithmetic<BinOpKind::kMul, BinOpKind::kAnd>}},
      {"divide", {kFloats, 8, divide}},
      {"floor_divide", {kNumbers, 30, floor_divide}},
      {"remainder", {kNumbers, 30, remainder}},
      {"power", {kFloats, 30, power}},
      {"negative", {kNumbers, 1, unary<UnOpKind::kNeg>}},
      {"positive", {kNumbers, 0, same}},
      {"conjugate", {kNumbers, 0, same}},
      {"absolute", {kAll, 1, absolute}},
      {"fabs", {kFloats, 1, absolute}},
      {"sign", {kNumbers, 3, sign}},
      {"square", {kNumbers, 1, square}},
      {"reciprocal", {kFloats, 8, reciprocal}},
      {"sqrt", {kFloats, 8, unary<UnOpKind::kSqrt>}},
      {"cbrt", {kFloats, 20, unary<UnOpKind::kCbrt>}},
      {"exp", {kFloats, 20, unary<UnOpKind::kExp>}},
      {"log", {kFloats, 20, unary<UnOpKind::kLog>}},
      {"log2", {kFloats, 20, unary<UnOpKind::kLog2>}},
      {"log10", {kFloats, 20, unary<UnOpKind::kLog10>}},
      {"log1p", {kFloats, 20, unary<UnOpKind::kLog1p>}},
      {"sin", {kFloats, 20, unary<UnOpKind::kSin>}},
      {"cos", {kFloats, 20, unary<UnOpKind::kCos>}},
      {"tan", {kFloats, 25, unary<UnOpKind::kTan>}},
      {"arcsin", {kFloats, 20, unary<UnOpKind::kAsin>}},
      {"arccos", {kFloats, 20, unary<UnOpKind::kAcos>}},
      {"arctan", {kFloats, 20, unary<UnOpKind::kAtan>}},
      {"sinh", {kFloats, 25, unary<UnOpKind::kSinh>}},
      {"cosh", {kFloats, 25, unary<UnOpKind::kCosh>}},
      {"tanh", {kFloats, 25, unary<UnOpKind::kTanh>}},
      {"arcsinh", {kFloats, 30, unary<UnOpKind::kAsinh>}},
      {"arccosh", {kFloats, 30, unary<UnOpKind::kAcosh>}},
      {"arctanh", {kFloats, 30, unary<UnOpKind::kAtanh>}},
      {"arctan2", {kFloats, 30, binary<BinOpKind::kAtan2>}},
      {"hypot", {kFloats, 20, binary<BinOpKind::kHypot>}},
      {"copysign", {kFloats, 2, binary<BinOpKind::kCopysign>}},
      {"floor", {kFloats, 1, unary<UnOpKind::kFloor>}},
      {"ceil", {kFloats, 1, unary<UnOpKind::kCeil>}},
      {"trunc", {kFloats, 1, unary<UnOpKind::kTrunc>}},
      {"rint", {kFloats, 1, unary<UnOpKind::kRound>}},
      {"deg2rad", {kFloats, 1, angle<true>}},
      {"rad2deg", {kFloats, 1, angle<false>}},
      {"maximum", {kAll, 3, extreme<true>}},
      {"minimum", {kAll, 3, extreme<false>}},
      {"fmax", {kNumbers, 3, extreme_number<true>}},
      {"fmin", {kNumbers, 3, extreme_number<false>}},
      {"less", {kAll, 1, compare<CmpOpKind::kLt, false>}},
      {"less_equal", {kAll, 1, compare<CmpOpKind::kLe, false>}},
      {"greater", {kAll, 1, compare<CmpOpKind::kLt, true>}},
      {"greater_equal", {kAll, 1, compare<CmpOpKind::kLe, true>}},
      {"equal", {kAll, 1, compare<CmpOpKind::kEq, false>}},
      {"not_equal", {kAll, 1, compare<CmpOpKind::kNe, false>}},
      {"logical_and", {kAll, 1, logical<BinOpKind::kAnd>}},
      {"logical_or", {kAll, 1, logical<BinOpKind::kOr>}},
      {"logical_xor", {kAll, 1, logical<BinOpKind::kXor>}},
      {"logical_not", {kAll, 1, logical_not}},
      {"bitwise_and", {static_cast<Domain>(kInts | kBools), 1, binary<BinOpKind::kAnd>}},
      {"bitwise_or", {static_cast<Domain>(kInts | kBools), 1, binary<BinOpKind::kOr>}},
      {"bitwise_xor", {static_cast<Domain>(kInts | kBools), 1, binary<BinOpKind::kXor>}},
      {"invert", {static_cast<Domain>(kInts | kBools), 1, unary<UnOpKind::kNot>}},
      {"left_shift", {kInts, 1, binary<BinOpKind::kShl>}},
      {"right_shift", {kInts, 1, binary<BinOpKind::kShr>}},
      {"isnan", {kAll, 1, predicate<UnOpKind::kIsNan>}},
      {"isinf", {kAll, 1, predicate<UnOpKind::kIsInf>}},
      {"isfinite", {kAll, 2, is_finite}},
      {"where", {kAll, 1, choose}},
  };
  return *rows;
}

}  // namespace

bool can_lower(std::string_view op, DType type) {
  if (is_complex(type)) return can_lower_complex(op);
  const auto it = table().find(op);
  if (it == table().end()) return false;
  const int domain = is_float(type) ? kFloats : type == DType::kBool ? kBools : kInts;
  return (it->second.domain & domain) != 0;
}

int cost_of(std::string_view op, DType type) {
  if (is_complex(type)) return complex_cost_of(op);
  const auto it = table().find(op);
  return it == table().end() ? 1 : it->second.cost;
}

Operand lower_op(Builder& b, std::string_view op, Prim type, Args args) {
  return table().at(op).write(b, type, args);
}

Operand lower_zero(Prim type) {
  return zero(type);
}

bool can_reduce(std::string_view op, DType type) {
  if (is_complex(type)) return op == "add" || op == "multiply";
  if (op == "add" || op == "multiply" || op == "maximum" || op == "minimum") return true;
  if (op == "logical_and" || op == "logical_or") return type == DType::kBool;
  return (op == "bitwise_and" || op == "bitwise_or" || op == "bitwise_xor") && !is_float(type);
}

Operand neutral_of(std::string_view op, Prim type) {
  if (op == "multiply" || op == "logical_and") return one(type);
  if (op == "bitwise_and") return type == Prim::kBool ? one(type) : Operand(const_int(type, -1));
  if (op != "maximum" && op != "minimum") return zero(type);
  const bool larger = op == "maximum";
  if (type == Prim::kBool) return const_bool(!larger);
  if (skald::is_float(type)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return const_float(type, larger ? -infinity : infinity);
  }
  const int bits = prim_bits(type);
  if (skald::is_unsigned_int(type)) return const_int(type, larger ? 0 : -1);
  const auto lowest = static_cast<int64_t>(~uint64_t{0} << (bits - 1));
  return const_int(type, larger ? lowest : ~lowest);
}

Operand lower_random(Builder& b, Operand counter, Operand key) {
  const auto u32 = [&](Operand x) { return b.convert(Prim::kU64, Prim::kU32, x); };
  const auto u64 = [&](Operand x) { return b.convert(Prim::kU32, Prim::kU64, x); };
  const Operand bits = const_int(Prim::kU64, 32);
  Operand low = u32(counter), high = u32(b.binop(BinOpKind::kLshr, Prim::kU64, counter, bits));
  Operand round_key = u32(key);
  const Operand factor = const_int(Prim::kU32, 0xd256d193);
  for (int round = 0; round < 10; ++round) {
    // Two halves in 32 bits: vectors have no products of 64 bits.
    const Operand upper = b.binop(BinOpKind::kMulHi, Prim::kU32, factor, low);
    const Operand lower = b.binop(BinOpKind::kMul, Prim::kU32, factor, low);
    low = b.binop(BinOpKind::kXor, Prim::kU32,
                  b.binop(BinOpKind::kXor, Prim::kU32, upper, round_key), high);
    high = lower;
    round_key = b.binop(BinOpKind::kAdd, Prim::kU32, round_key, const_int(Prim::kU32, 0x9e3779b9));
  }
  return b.binop(BinOpKind::kOr, Prim::kU64, b.binop(BinOpKind::kShl, Prim::kU64, u64(high), bits),
                 u64(low));
}

}  // namespace skald::lazy
