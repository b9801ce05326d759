// SPDX-License-Identifier: Apache-2.0
// How the scalar operators are written: templates over the operand type that work on `Const::bits`,
// and tables by operator and type of the instances that make sense.  Part of scalar*.cpp only.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/scalar/scalar.h"
#include "support/f16.h"

namespace skald::core::scalar_detail {

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

// Wrap-around arithmetic goes through uint64_t, where it is defined and never promotes to int.
template <class T>
T wrap(uint64_t value) {
  return static_cast<T>(value);
}
template <class T>
constexpr int kBits = std::numeric_limits<std::make_unsigned_t<T>>::digits;

template <class Enumerator>
constexpr size_t at(Enumerator enumerator) {
  return static_cast<size_t>(enumerator);
}

// One entry of a table for every type, in the order of kAllPrims.
#define SKALD_SCALAR_FOR_PRIMS(entry, op)                                      \
  {entry<op, Prim::kBool>(), entry<op, Prim::kI8>(),  entry<op, Prim::kI16>(), \
   entry<op, Prim::kI32>(),  entry<op, Prim::kI64>(), entry<op, Prim::kU8>(),  \
   entry<op, Prim::kU16>(),  entry<op, Prim::kU32>(), entry<op, Prim::kU64>(), \
   entry<op, Prim::kF16>(),  entry<op, Prim::kF32>(), entry<op, Prim::kF64>()},

}  // namespace skald::core::scalar_detail
