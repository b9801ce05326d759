// SPDX-License-Identifier: Apache-2.0
// Operators with one operand, comparisons, and operators on constants.
#include "core/scalar/scalar.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include "core/scalar/scalar_math.h"
#include "core/scalar/scalar_values.h"
#include "support/bug.h"

namespace skald::core {

using namespace scalar_detail;

namespace {

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
// ---- comparisons --------------------------------------------------------------

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

// ---- tables ----------------------------------------------------------------------------------

#define X(enumerator, text) SKALD_SCALAR_FOR_PRIMS(un_entry, UnOpKind::enumerator)
constexpr UnFn kUnFns[][kAllPrims.size()] = {SKALD_CORE_UNOPS(X)};
#undef X
#define X(enumerator, text) SKALD_SCALAR_FOR_PRIMS(cmp_entry, CmpOpKind::enumerator)
constexpr BinFn kCmpFns[][kAllPrims.size()] = {SKALD_CORE_CMPOPS(X)};
#undef X

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
BinFn scalar_fn(CmpOpKind op, Prim type) {
  return kCmpFns[at(op)][at(type)];
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
