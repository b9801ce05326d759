// SPDX-License-Identifier: Apache-2.0
// The primitive types of every language, IR and file format here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace skald {

enum class Prim : uint8_t { kBool, kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kF16, kF32, kF64 };

inline constexpr std::array<Prim, 12> kAllPrims = {Prim::kBool, Prim::kI8,  Prim::kI16, Prim::kI32,
                                                   Prim::kI64,  Prim::kU8,  Prim::kU16, Prim::kU32,
                                                   Prim::kU64,  Prim::kF16, Prim::kF32, Prim::kF64};

constexpr std::string_view prim_name(Prim p) {
  constexpr std::string_view kNames[] = {"bool", "i8",  "i16", "i32", "i64", "u8",
                                         "u16",  "u32", "u64", "f16", "f32", "f64"};
  return kNames[static_cast<size_t>(p)];
}

constexpr std::optional<Prim> prim_from_name(std::string_view name) {
  for (Prim p : kAllPrims)
    if (prim_name(p) == name) return p;
  return std::nullopt;
}

// Bytes in memory and in files; a bool takes one.
constexpr int prim_size(Prim p) {
  constexpr int kSizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
  return kSizes[static_cast<size_t>(p)];
}
constexpr int prim_bits(Prim p) {
  return p == Prim::kBool ? 1 : 8 * prim_size(p);
}

constexpr bool is_signed_int(Prim p) {
  return p >= Prim::kI8 && p <= Prim::kI64;
}
constexpr bool is_unsigned_int(Prim p) {
  return p >= Prim::kU8 && p <= Prim::kU64;
}
constexpr bool is_int(Prim p) {
  return p >= Prim::kI8 && p <= Prim::kU64;
}
constexpr bool is_float(Prim p) {
  return p >= Prim::kF16;
}

// The unsigned type of the same width as an integer or float type.
constexpr Prim unsigned_of_width(int bytes) {
  return bytes == 1 ? Prim::kU8 : bytes == 2 ? Prim::kU16 : bytes == 4 ? Prim::kU32 : Prim::kU64;
}

}  // namespace skald
