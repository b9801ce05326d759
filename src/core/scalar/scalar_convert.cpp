// SPDX-License-Identifier: Apache-2.0
// Conversions between scalar types.
#include <cmath>
#include <limits>

#include "core/scalar/scalar_values.h"

namespace skald::core {

using namespace scalar_detail;

namespace {

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

template <Prim From, Prim To>
constexpr UnFn convert_entry() {
  return &convert<From, To>;
}
constexpr UnFn kConvertFns[][kAllPrims.size()] = {
    SKALD_SCALAR_FOR_PRIMS(convert_entry, Prim::kBool) SKALD_SCALAR_FOR_PRIMS(
        convert_entry, Prim::kI8) SKALD_SCALAR_FOR_PRIMS(convert_entry, Prim::kI16)
        SKALD_SCALAR_FOR_PRIMS(convert_entry, Prim::kI32) SKALD_SCALAR_FOR_PRIMS(
            convert_entry, Prim::kI64) SKALD_SCALAR_FOR_PRIMS(convert_entry, Prim::kU8)
            SKALD_SCALAR_FOR_PRIMS(convert_entry, Prim::kU16) SKALD_SCALAR_FOR_PRIMS(
                convert_entry, Prim::kU32) SKALD_SCALAR_FOR_PRIMS(convert_entry, Prim::kU64)
                SKALD_SCALAR_FOR_PRIMS(convert_entry, Prim::kF16) SKALD_SCALAR_FOR_PRIMS(
                    convert_entry, Prim::kF32) SKALD_SCALAR_FOR_PRIMS(convert_entry, Prim::kF64)};

}  // namespace

UnFn convert_fn(Prim from, Prim to) {
  return kConvertFns[at(from)][at(to)];
}

}  // namespace skald::core
