// SPDX-License-Identifier: Apache-2.0
// Half-precision conversions: all 65536 values, and the rounding cases worth naming.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/f16.h"

namespace skald {
namespace {

bool is_nan_bits(uint16_t bits) {
  return (bits & 0x7c00) == 0x7c00 && (bits & 0x03ff) != 0;
}

TEST(F16, EveryValueSurvivesTheWayThroughF32AndF64) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const float wide = f16_to_f32(bits);
    if (is_nan_bits(bits)) {
      EXPECT_TRUE(std::isnan(wide)) << i;
      EXPECT_TRUE(is_nan_bits(f32_to_f16(wide))) << i;
    } else {
      EXPECT_EQ(f32_to_f16(wide), bits);
      EXPECT_EQ(f64_to_f16(static_cast<double>(wide)), bits);
    }
  }
}

TEST(F16, TiesGoToEven) {
  // Between 1 and the next half, 1 + 2^-10, lies 1 + 2^-11.
  EXPECT_EQ(f32_to_f16(1.0f + 0x1p-11f), 0x3c00);
  EXPECT_EQ(f32_to_f16(1.0f + 0x3p-11f), 0x3c02);
  EXPECT_EQ(f32_to_f16(1.0f + 0x1p-11f + 0x1p-20f), 0x3c01);
}

TEST(F16, OverflowGivesAnInfinityOnlyFromTheMidpointOn) {
  EXPECT_EQ(f32_to_f16(65519.996f), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(f32_to_f16(-1e30f), 0xfc00);
  EXPECT_EQ(f64_to_f16(std::numeric_limits<double>::infinity()), 0x7c00);
}

TEST(F16, SmallNumbersBecomeSubnormalOrSignedZero) {
  EXPECT_EQ(f32_to_f16(0x1p-24f), 0x0001);
  EXPECT_EQ(f32_to_f16(0x1p-25f), 0x0000);
  EXPECT_EQ(f32_to_f16(0x1.8p-25f), 0x0001);
  EXPECT_EQ(f32_to_f16(-0x1p-30f), 0x8000);
}

TEST(F16, F64IsRoundedOnceNotTwice) {
  // Through f32 the last bit would be rounded away first and the tie would go the other way.
  EXPECT_EQ(f64_to_f16(1.0 + 0x1p-11 + 0x1p-40), 0x3c01);
}

}  // namespace
}  // namespace skald
