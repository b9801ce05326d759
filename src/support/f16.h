// SPDX-License-Identifier: Apache-2.0
// IEEE half precision, stored as its 16 bits.  g++ 12 has no _Float16 on arm64, so we convert.
#pragma once

#include <cstdint>

namespace skald {

// Exact.
float f16_to_f32(uint16_t bits);

// Rounds to nearest, ties to even; overflow gives an infinity; NaN stays NaN.
uint16_t f32_to_f16(float value);

// Like f32_to_f16, in one rounding step.
uint16_t f64_to_f16(double value);

}  // namespace skald
