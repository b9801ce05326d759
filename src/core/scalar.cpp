// SPDX-License-Identifier: Apache-2.0
// Every operator is a template over its operand type, working on `Const::bits`; tables indexed by
// operator and type hold the instances that make sense.
#include "core/scalar.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include "core/scalar_math.h"
#include "support/bug.h"
#include "support/f16.h"

namespace skald::core {

namespace {

// ---- bits ↔ C++ values -----------------------------------------------------------------------

template <Prim P>
constexpr auto calculation_type() {
  // clang-format off
  if constexpr (P == Prim::kBool) return bool{};
  else if constexpr (P == Prim::kI8) return int8_t{};
  else if constexpr (P == Prim::kI16) return int16_t{};
  else if constexpr (P == Prim::kI32) return int32_t{};
  else if constexpr (P == Prim::kI64) return int64_t{};
  else if constexpr (P == Prim::kU8) return uint8_t{};
  else if constexpr (P == Prim::kU16) return uint16_t{};
  else if constexpr (P == Prim::kU32) return uint32_t{};
  else if constexpr (P == Prim::kU64) return uint64_t{};
  else if constexpr (P == Prim::kF64) return double{};
  else return float{};
  // clang-format on
}
// What a value of type P is computed with; f16 is computed with float.
template <Prim P>
using Calc = decltype(calculation_type<P>());

template <Prim P>
Calc<P> load(uint64_t bits) {
  if constexpr (P == Prim::kF16) {
    return f16_to_f32(static_cast<uint16_t>(bits));
  } else if constexpr (P == Prim::kF32) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  } else if constexpr (P == Prim::kF64) {
    return std::bit_cast<double>(bits);
  } else {
    return static_cast<Calc<P>>(bits);
  }
}

template <Prim P>
uint64_t store(Calc<P> value) {
  if constexpr (P == Prim::kF16) {
    return f32_to_f16(value);
  } else if constexpr (P == Prim::kF32) {
    return std::bit_cast<uint32_t>(value);
  } else if constexpr (P == Prim::kF64) {
    return std::bit_cast<uint64_t>(value);
  } else if constexpr (P == Prim::kBool) {
    return value ? 1 : 0;
  } else {
    return static_cast<std::make_unsigned_t<Calc<P>>>(value);
  }
}

// ---- integers --------------------------------------------------------------------------------

// Wrap-around arithmetic goes through uint64_t, where it is defined and never promotes to int.
template <class T>
T wrap(uint64_t value) {
  return static_cast<T>(value);
}
template <class T>
constexpr int kBits = std::numeric_limits<std::make_unsigned_t<T>>::digits;

template <class T>
T quot_int(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>)
    if (b == T{-1}) return wrap<T>(0 - static_cast<uint64_t>(a));
  return static_cast<T>(a / b);
}
template <class T>
T rem_int(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>)
    if (b == T{-1}) return 0;
  return static_cast<T>(a % b);
}
template <class T>
T div_int(T a, T b) {
  const T quotient = quot_int(a, b);
  if constexpr (std::is_signed_v<T>)
    if (b != 0 && rem_int(a, b) != 0 && (a < 0) != (b < 0)) return static_cast<T>(quotient - 1);
  return quotient;
}
template <class T>
T mod_int(T a, T b) {
  const T remainder = rem_int(a, b);
  if constexpr (std::is_signed_v<T>)
    if (b != 0 && remainder != 0 && (remainder < 0) != (b < 0))
      return static_cast<T>(remainder + b);
  return remainder;
}

template <class T>
T pow_int(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      if (base == 1) return 1;
      if (base == -1) return exponent % 2 == 0 ? 1 : -1;
      return 0;
    }
  }
  uint64_t result = 1;
  uint64_t square = static_cast<uint64_t>(base);
  for (auto rest = static_cast<std::make_unsigned_t<T>>(exponent); rest != 0;
       rest = static_cast<std::make_unsigned_t<T>>(rest >> 1)) {
    if (rest & 1) result *= square;
    square *= square;
  }
  return wrap<T>(result);
}

template <class T>
T mul_hi_int(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>((static_cast<__int128>(a) * b) >> kBits<T>);
  } else {
    return static_cast<T>((static_cast<unsigned __int128>(a) * b) >> kBits<T>);
  }
}

enum class Shift { kLeft, kLogical, kArithmetic };
template <Shift kind, class T>
T shift_int(T a, T count) {
  using U = std::make_unsigned_t<T>;
  using S = std::make_signed_t<T>;
  const U n = static_cast<U>(count);
  if constexpr (kind == Shift::kArithmetic) {
    const int by = n < kBits<T> ? static_cast<int>(n) : kBits<T> - 1;
    return static_cast<T>(static_cast<S>(static_cast<S>(a) >> by));
  } else {
    if (n >= kBits<T>) return 0;
    const uint64_t value = static_cast<U>(a);
    return wrap<T>(kind == Shift::kLeft ? value << n : value >> n);
  }
}

// ---- binary operators ------------------------------------------------------------------------

template <BinOpKind Op, class T>
T bin_int(T a, T b) {
  const auto ua = static_cast<uint64_t>(a);
  const auto ub = static_cast<uint64_t>(b);
  using enum BinOpKind;
  // clang-format off
  if constexpr (Op == kAdd) return wrap<T>(ua + ub);
  else if constexpr (Op == kSub) return wrap<T>(ua - ub);
  else if constexpr (Op == kMul) return wrap<T>(ua * ub);
  else if constexpr (Op == kDiv) return div_int(a, b);
  else if constexpr (Op == kMod) return mod_int(a, b);
  else if constexpr (Op == kQuot) return quot_int(a, b);
  else if constexpr (Op == kRem) return rem_int(a, b);
  else if constexpr (Op == kPow) return pow_int(a, b);
  else if constexpr (Op == kMin) return a < b ? a : b;
  else if constexpr (Op == kMax) return a < b ? b : a;
  else if constexpr (Op == kAnd) return wrap<T>(ua & ub);
  else if constexpr (Op == kOr) return wrap<T>(ua | ub);
  else if constexpr (Op == kXor) return wrap<T>(ua ^ ub);
  else if constexpr (Op == kShl) return shift_int<Shift::kLeft>(a, b);
  else if constexpr (Op == kShr)
    return shift_int<std::is_signed_v<T> ? Shift::kArithmetic : Shift::kLogical>(a, b);
  else if constexpr (Op == kLshr) return shift_int<Shift::kLogical>(a, b);
  else if constexpr (Op == kAshr) return shift_int<Shift::kArithmetic>(a, b);
  else return mul_hi_int(a, b);
  // clang-format on
}

template <BinOpKind Op, class T>
T bin_float(T a, T b) {
  using enum BinOpKind;
  // clang-format off
  if constexpr (Op == kAdd) return a + b;
  else if constexpr (Op == kSub) return a - b;
  else if constexpr (Op == kMul) return a * b;
  else if constexpr (Op == kDiv) return a / b;
  else if constexpr (Op == kMod) return std::fmod(a, b);
  else if constexpr (Op == kPow) return std::pow(a, b);
  else if constexpr (Op == kMin) return math::min_num(a, b);
  else if constexpr (Op == kMax) return math::max_num(a, b);
  else if constexpr (Op == kAtan2) return std::atan2(a, b);
  else if constexpr (Op == kAtan2Pi)
    return static_cast<T>(std::atan2(double{a}, double{b}) / std::numbers::pi);
  else if constexpr (Op == kHypot) return std::hypot(a, b);
  else if constexpr (Op == kCopysign) return std::copysign(a, b);
  else return std::nextafter(a, b);
  // clang-format on
}

constexpr bool is_float_only(BinOpKind op) {
  return op >= BinOpKind::kAtan2;
}
constexpr bool has_float(BinOpKind op) {
  using enum BinOpKind;
  return is_float_only(op) || op == kAdd || op == kSub || op == kMul || op == kDiv || op == kMod ||
         op == kPow || op == kMin || op == kMax;
}
constexpr bool has_bool(BinOpKind op) {
  return op == BinOpKind::kAnd || op == BinOpKind::kOr || op == BinOpKind::kXor;
}

template <BinOpKind Op, Prim P>
uint64_t bin(uint64_t a, uint64_t b) {
  if constexpr (P == Prim::kBool) {
    return Op == BinOpKind::kAnd ? (a & b) : Op == BinOpKind::kOr ? (a | b) : (a ^ b);
  } else if constexpr (is_int(P)) {
    return store<P>(bin_int<Op>(load<P>(a), load<P>(b)));
  } else if constexpr (Op == BinOpKind::kLdexp) {
    return store<P>(std::ldexp(load<P>(a), static_cast<int32_t>(b)));
  } else if constexpr (Op == BinOpKind::kNextafter && P == Prim::kF16) {
    return math::next_after_f16(static_cast<uint16_t>(a), static_cast<uint16_t>(b));
  } else {
    return store<P>(bin_float<Op>(load<P>(a), load<P>(b)));
  }
}

template <BinOpKind Op, Prim P>
constexpr BinFn bin_entry() {
  constexpr bool legal = P == Prim::kBool ? has_bool(Op)
                         : is_int(P)      ? !is_float_only(Op)
                                          : has_float(Op);
  if constexpr (legal) return &bin<Op, P>;
  return nullptr;
}

// ---- unary operators -------------------------------------------------------------------------

template <UnOpKind Op, class T>
uint64_t un_int(T a) {
  using enum UnOpKind;
  using U = std::make_unsigned_t<T>;
  const U bits = static_cast<U>(a);
  // clang-format off
  if constexpr (Op == kNeg) return static_cast<U>(0 - static_cast<uint64_t>(bits));
  else if constexpr (Op == kNot) return static_cast<U>(~static_cast<uint64_t>(bits));
  else if constexpr (Op == kAbs) return a < T{0} ? static_cast<U>(0 - static_cast<uint64_t>(bits)) : bits;
  else if constexpr (Op == kSgn) return static_cast<U>((a > T{0}) - (a < T{0}));
  else if constexpr (Op == kPopc) return static_cast<uint64_t>(std::popcount(bits));
  else if constexpr (Op == kClz) return static_cast<uint64_t>(std::countl_zero(bits));
  else return static_cast<uint64_t>(std::countr_zero(bits));
  // clang-format on
}

template <UnOpKind Op, class T>
T un_float(T a) {
  using enum UnOpKind;
  const double wide = a;
  constexpr double kPi = std::numbers::pi;
  // clang-format off
  if constexpr (Op == kNeg) return -a;
  else if constexpr (Op == kAbs) return std::fabs(a);
  else if constexpr (Op == kSgn) return std::isnan(a) ? a : T((a > 0) - (a < 0));
  else if constexpr (Op == kSqrt) return std::sqrt(a);
  else if constexpr (Op == kRsqrt) return static_cast<T>(1.0 / std::sqrt(wide));
  else if constexpr (Op == kCbrt) return std::cbrt(a);
  else if constexpr (Op == kExp) return std::exp(a);
  else if constexpr (Op == kLog) return std::log(a);
  else if constexpr (Op == kLog2) return std::log2(a);
  else if constexpr (Op == kLog10) return std::log10(a);
  else if constexpr (Op == kLog1p) return std::log1p(a);
  else if constexpr (Op == kSin) return std::sin(a);
  else if constexpr (Op == kCos) return std::cos(a);
  else if constexpr (Op == kTan) return std::tan(a);
  else if constexpr (Op == kSinPi) return static_cast<T>(math::sin_pi(wide));
  else if constexpr (Op == kCosPi) return static_cast<T>(math::cos_pi(wide));
  else if constexpr (Op == kTanPi) return static_cast<T>(math::tan_pi(wide));
  else if constexpr (Op == kAsin) return std::asin(a);
  else if constexpr (Op == kAcos) return std::acos(a);
  else if constexpr (Op == kAtan) return std::atan(a);
  else if constexpr (Op == kAsinPi) return static_cast<T>(std::asin(wide) / kPi);
  else if constexpr (Op == kAcosPi) return static_cast<T>(std::acos(wide) / kPi);
  else if constexpr (Op == kAtanPi) return static_cast<T>(std::atan(wide) / kPi);
  else if constexpr (Op == kSinh) return std::sinh(a);
  else if constexpr (Op == kCosh) return std::cosh(a);
  else if constexpr (Op == kTanh) return std::tanh(a);
  else if constexpr (Op == kAsinh) return std::asinh(a);
  else if constexpr (Op == kAcosh) return std::acosh(a);
  else if constexpr (Op == kAtanh) return std::atanh(a);
  else if constexpr (Op == kGamma) return std::tgamma(a);
  else if constexpr (Op == kLgamma) return math::log_gamma(a);
  else if constexpr (Op == kErf) return std::erf(a);
  else if constexpr (Op == kErfc) return std::erfc(a);
  else if constexpr (Op == kCeil) return std::ceil(a);
  else if constexpr (Op == kFloor) return std::floor(a);
  else if constexpr (Op == kTrunc) return std::trunc(a);
  else return std::nearbyint(a);
  // clang-format on
}

template <UnOpKind Op, Prim P>
uint64_t un(uint64_t a) {
  if constexpr (P == Prim::kBool) {
    return a ^ 1;
  } else if constexpr (is_int(P)) {
    return un_int<Op>(load<P>(a));
  } else if constexpr (Op == UnOpKind::kIsNan) {
    return std::isnan(load<P>(a));
  } else if constexpr (Op == UnOpKind::kIsInf) {
    return std::isinf(load<P>(a));
  } else {
    return store<P>(un_float<Op>(load<P>(a)));
  }
}

template <UnOpKind Op, Prim P>
constexpr UnFn un_entry() {
  using enum UnOpKind;
  constexpr bool number = Op == kNeg || Op == kAbs || Op == kSgn;
  constexpr bool int_only = Op == kPopc || Op == kClz || Op == kCtz;
  constexpr bool legal = P == Prim::kBool ? Op == kNot
                         : is_int(P)      ? number || int_only || Op == kNot
                                          : !int_only && Op != kNot;
  if constexpr (legal) return &un<Op, P>;
  return nullptr;
}

// ---- comparisons, three operands, conversions ------------------------------------------------

template <CmpOpKind Op, Prim P>
uint64_t cmp(uint64_t lhs, uint64_t rhs) {
  const auto a = load<P>(lhs);
  const auto b = load<P>(rhs);
  // clang-format off
  if constexpr (Op == CmpOpKind::kEq) return a == b;
  else if constexpr (Op == CmpOpKind::kNe) return a != b;
  else if constexpr (Op == CmpOpKind::kLt) return a < b;
  else return a <= b;
  // clang-format on
}
template <CmpOpKind Op, Prim P>
constexpr BinFn cmp_entry() {
  return &cmp<Op, P>;
}

template <TernOpKind Op, Prim P>
uint64_t tern(uint64_t x, uint64_t y, uint64_t z) {
  const auto a = load<P>(x);
  const auto b = load<P>(y);
  const auto c = load<P>(z);
  if constexpr (Op == TernOpKind::kMadHi) {
    return store<P>(bin_int<BinOpKind::kAdd>(mul_hi_int(a, b), c));
  } else if constexpr (Op == TernOpKind::kLerp) {
    return store<P>(a + (b - a) * c);
  } else if constexpr (Op == TernOpKind::kMad) {
    return store<P>(a * b + c);
  } else if constexpr (P == Prim::kF16) {
    // The product of two halves is exact in f64.
    return f64_to_f16(double{a} * double{b} + double{c});
  } else {
    return store<P>(std::fma(a, b, c));
  }
}
template <TernOpKind Op, Prim P>
constexpr TernFn tern_entry() {
  constexpr bool legal = Op == TernOpKind::kMadHi ? is_int(P) : is_float(P);
  if constexpr (legal) return &tern<Op, P>;
  return nullptr;
}

// Toward zero; NaN and infinities give 0, other values out of range the nearest bound.  Negative
// values wrap in unsigned types, as Futhark has it: they become an i64 first.
template <class I, class F>
I float_to_int(F value) {
  if (!std::isfinite(value)) return 0;
  if constexpr (std::is_unsigned_v<I>)
    if (value < 0) return wrap<I>(static_cast<uint64_t>(float_to_int<int64_t>(value)));
  // Both bounds are exact: powers of two (or zero).
  const F above = std::ldexp(F{1}, std::numeric_limits<I>::digits);
  const F lowest = static_cast<F>(std::numeric_limits<I>::min());
  const F whole = std::trunc(value);
  if (whole >= above) return std::numeric_limits<I>::max();
  if (whole < lowest) return std::numeric_limits<I>::min();
  return static_cast<I>(whole);
}

template <Prim From, Prim To>
uint64_t convert(uint64_t bits) {
  const auto value = load<From>(bits);
  if constexpr (From == To) {
    return bits;
  } else if constexpr (To == Prim::kBool) {
    return value != Calc<From>{0};
  } else if constexpr (is_float(From) && is_int(To)) {
    return store<To>(float_to_int<Calc<To>>(value));
  } else if constexpr (To == Prim::kF16) {
    // An integer that is not exact in f64 is an infinity in f16.
    return f64_to_f16(static_cast<double>(value));
  } else if constexpr (is_float(To)) {
    return store<To>(static_cast<Calc<To>>(value));
  } else {
    return store<To>(wrap<Calc<To>>(static_cast<uint64_t>(value)));
  }
}

// ---- tables ----------------------------------------------------------------------------------

#define SKALD_FOR_PRIMS(entry, op)                                             \
  {entry<op, Prim::kBool>(), entry<op, Prim::kI8>(),  entry<op, Prim::kI16>(), \
   entry<op, Prim::kI32>(),  entry<op, Prim::kI64>(), entry<op, Prim::kU8>(),  \
   entry<op, Prim::kU16>(),  entry<op, Prim::kU32>(), entry<op, Prim::kU64>(), \
   entry<op, Prim::kF16>(),  entry<op, Prim::kF32>(), entry<op, Prim::kF64>()},

#define X(enumerator, text) SKALD_FOR_PRIMS(bin_entry, BinOpKind::enumerator)
constexpr BinFn kBinFns[][kAllPrims.size()] = {SKALD_CORE_BINOPS(X)};
#undef X
#define X(enumerator, text) SKALD_FOR_PRIMS(un_entry, UnOpKind::enumerator)
constexpr UnFn kUnFns[][kAllPrims.size()] = {SKALD_CORE_UNOPS(X)};
#undef X
#define X(enumerator, text) SKALD_FOR_PRIMS(cmp_entry, CmpOpKind::enumerator)
constexpr BinFn kCmpFns[][kAllPrims.size()] = {SKALD_CORE_CMPOPS(X)};
#undef X
#define X(enumerator, text) SKALD_FOR_PRIMS(tern_entry, TernOpKind::enumerator)
constexpr TernFn kTernFns[][kAllPrims.size()] = {SKALD_CORE_TERNOPS(X)};
#undef X

template <Prim From, Prim To>
constexpr UnFn convert_entry() {
  return &convert<From, To>;
}
constexpr UnFn kConvertFns[][kAllPrims.size()] = {
    SKALD_FOR_PRIMS(convert_entry, Prim::kBool) SKALD_FOR_PRIMS(convert_entry, Prim::kI8)
        SKALD_FOR_PRIMS(convert_entry, Prim::kI16) SKALD_FOR_PRIMS(convert_entry, Prim::kI32)
            SKALD_FOR_PRIMS(convert_entry, Prim::kI64) SKALD_FOR_PRIMS(convert_entry, Prim::kU8)
                SKALD_FOR_PRIMS(convert_entry, Prim::kU16) SKALD_FOR_PRIMS(
                    convert_entry, Prim::kU32) SKALD_FOR_PRIMS(convert_entry, Prim::kU64)
                    SKALD_FOR_PRIMS(convert_entry, Prim::kF16) SKALD_FOR_PRIMS(
                        convert_entry, Prim::kF32) SKALD_FOR_PRIMS(convert_entry, Prim::kF64)};
#undef SKALD_FOR_PRIMS

size_t at(auto enumerator) {
  return static_cast<size_t>(enumerator);
}

template <class Fn>
Fn defined(Fn fn, Prim type) {
  SKALD_CHECK(fn != nullptr, "a scalar operator applied to {}, where it is not defined",
              prim_name(type));
  return fn;
}

constexpr bool gives_i32(UnOpKind op) {
  return op == UnOpKind::kPopc || op == UnOpKind::kClz || op == UnOpKind::kCtz;
}
constexpr bool gives_bool(UnOpKind op) {
  return op == UnOpKind::kIsNan || op == UnOpKind::kIsInf;
}

}  // namespace

UnFn scalar_fn(UnOpKind op, Prim type) {
  return kUnFns[at(op)][at(type)];
}
BinFn scalar_fn(BinOpKind op, Prim type) {
  return kBinFns[at(op)][at(type)];
}
BinFn scalar_fn(CmpOpKind op, Prim type) {
  return kCmpFns[at(op)][at(type)];
}
TernFn scalar_fn(TernOpKind op, Prim type) {
  return kTernFns[at(op)][at(type)];
}
UnFn convert_fn(Prim from, Prim to) {
  return kConvertFns[at(from)][at(to)];
}

Const eval(BinOpKind op, Prim type, const Const& lhs, const Const& rhs) {
  return {type, defined(scalar_fn(op, type), type)(lhs.bits, rhs.bits)};
}
Const eval(UnOpKind op, Prim type, const Const& arg) {
  const Prim result = gives_i32(op) ? Prim::kI32 : gives_bool(op) ? Prim::kBool : type;
  return {result, defined(scalar_fn(op, type), type)(arg.bits)};
}
Const eval(CmpOpKind op, Prim type, const Const& lhs, const Const& rhs) {
  return {Prim::kBool, scalar_fn(op, type)(lhs.bits, rhs.bits)};
}
Const eval(TernOpKind op, Prim type, const Const& a, const Const& b, const Const& c) {
  return {type, defined(scalar_fn(op, type), type)(a.bits, b.bits, c.bits)};
}
Const eval_convert(Prim from, Prim to, const Const& arg) {
  return {to, convert_fn(from, to)(arg.bits)};
}
Const eval_bitcast(Prim from, Prim to, const Const& arg) {
  SKALD_CHECK(prim_size(from) == prim_size(to), "bitcast between {} and {}", prim_name(from),
              prim_name(to));
  return {to, arg.bits};
}

}  // namespace skald::core
