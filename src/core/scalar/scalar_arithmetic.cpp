// SPDX-License-Identifier: Apache-2.0
// Operators with two and three operands.
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/scalar/scalar_math.h"
#include "core/scalar/scalar_values.h"

namespace skald::core {

using namespace scalar_detail;

namespace {

// ---- integers

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
// ---- all types

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

// ---- three operands

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

#define X(enumerator, text) SKALD_SCALAR_FOR_PRIMS(bin_entry, BinOpKind::enumerator)
constexpr BinFn kBinFns[][kAllPrims.size()] = {SKALD_CORE_BINOPS(X)};
#undef X
#define X(enumerator, text) SKALD_SCALAR_FOR_PRIMS(tern_entry, TernOpKind::enumerator)
constexpr TernFn kTernFns[][kAllPrims.size()] = {SKALD_CORE_TERNOPS(X)};
#undef X

}  // namespace

BinFn scalar_fn(BinOpKind op, Prim type) {
  return kBinFns[at(op)][at(type)];
}
TernFn scalar_fn(TernOpKind op, Prim type) {
  return kTernFns[at(op)][at(type)];
}

}  // namespace skald::core
