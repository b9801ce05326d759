// SPDX-License-Identifier: Apache-2.0
#include "support/f16.h"

#include <bit>
#include <cmath>

namespace skald {

float f16_to_f32(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t fraction = bits & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

uint16_t f32_to_f16(float value) {
  return f64_to_f16(static_cast<double>(value));
}

uint16_t f64_to_f16(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 48) & 0x8000u);
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7e00u;
  if (magnitude >= 65520.0) return sign | 0x7c00u;
  // Below the smallest normal number the spacing is 2^-24; above, 2^(exponent-10).
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int quantum = magnitude < 0x1p-14 ? -24 : exponent - 11;
  // nearbyint rounds ties to even in the default rounding mode.
  const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -quantum)));
  if (quantum == -24) return static_cast<uint16_t>(sign | units);
  // `units` is in [1024, 2048]; 2048 carries into the exponent, which the addition does for us.
  const uint32_t biased = static_cast<uint32_t>(exponent - 1 + 15);
  return static_cast<uint16_t>(sign | ((biased << 10) + (units - 1024)));
}

}  // namespace skald
