// SPDX-License-Identifier: Apache-2.0
// The element types of lazy arrays: those of NumPy that the core knows, and complex numbers.
#pragma once

#include <cstdint>

namespace skald::lazy {

enum class DType : uint8_t {
  kBool,
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kU64,
  kF16,
  kF32,
  kF64,
  kC64,
  kC128,
};
inline constexpr int kDTypeCount = 14;

inline int item_size(DType type) {
  static constexpr uint8_t kSizes[kDTypeCount] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 8, 16};
  return kSizes[static_cast<int>(type)];
}
inline bool is_integer(DType type) {
  return type >= DType::kI8 && type <= DType::kU64;
}
inline bool is_signed(DType type) {
  return is_integer(type) && (static_cast<int>(type) & 1) == 1;
}
inline bool is_float(DType type) {
  return type >= DType::kF16 && type <= DType::kF64;
}
inline bool is_complex(DType type) {
  return type >= DType::kC64;
}
// The type of the real and the imaginary part; of other types, the type itself.
inline DType part_type(DType type) {
  return type == DType::kC64 ? DType::kF32 : type == DType::kC128 ? DType::kF64 : type;
}

}  // namespace skald::lazy
