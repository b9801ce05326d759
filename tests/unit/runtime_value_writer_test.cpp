// SPDX-License-Identifier: Apache-2.0
// Writing values, and the round trip through both formats.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdio>

#include "runtime/values/compare.h"
#include "runtime/values/random_value.h"
#include "runtime/values/value_reader.h"
#include "runtime/values/value_writer.h"
#include "support/f16.h"

namespace skald::runtime {
namespace {

std::string written(const Value& value, bool binary) {
  std::string text;
  Output out(text);
  if (binary)
    write_binary(out, value);
  else
    write_text(out, value);
  EXPECT_TRUE(out.flush());
  return text;
}

TEST(WriteText, Scalars) {
  EXPECT_EQ(scalar_text(Prim::kI8, 0xff), "-1i8");
  EXPECT_EQ(scalar_text(Prim::kU8, 0xff), "255u8");
  EXPECT_EQ(scalar_text(Prim::kU64, ~uint64_t{0}), "18446744073709551615u64");
  EXPECT_EQ(scalar_text(Prim::kI64, uint64_t{1} << 63), "-9223372036854775808i64");
  EXPECT_EQ(scalar_text(Prim::kBool, 1), "true");
  EXPECT_EQ(scalar_text(Prim::kF32, std::bit_cast<uint32_t>(0.1f)), "0.100000001f32");
  EXPECT_EQ(scalar_text(Prim::kF32, std::bit_cast<uint32_t>(1e20f)), "1.00000002e+20f32");
  EXPECT_EQ(scalar_text(Prim::kF64, std::bit_cast<uint64_t>(0.1)), "0.10000000000000001f64");
  EXPECT_EQ(scalar_text(Prim::kF64, std::bit_cast<uint64_t>(100.0)), "100f64");
  EXPECT_EQ(scalar_text(Prim::kF16, f32_to_f16(0.1f)), "0.0999755859f16");
  EXPECT_EQ(scalar_text(Prim::kF32, 0x7fc00000), "f32.nan");
  EXPECT_EQ(scalar_text(Prim::kF32, 0xffc00000), "f32.nan");
  EXPECT_EQ(scalar_text(Prim::kF32, 0xff800000), "-f32.inf");
  EXPECT_EQ(scalar_text(Prim::kF64, std::bit_cast<uint64_t>(-5e-324)),
            "-4.9406564584124654e-324f64");
}

TEST(WriteText, FloatsLikePrintf) {
  Random random(7);
  for (int i = 0; i < 20000; ++i) {
    const auto bits = static_cast<uint32_t>(random.next());
    const auto x = std::bit_cast<float>(bits);
    const auto y = std::bit_cast<double>(random.next());
    char text[64];
    if (std::isfinite(x)) {
      std::snprintf(text, sizeof text, "%.9gf32", static_cast<double>(x));
      ASSERT_EQ(scalar_text(Prim::kF32, bits), text);
    }
    if (std::isfinite(y)) {
      std::snprintf(text, sizeof text, "%.17gf64", y);
      ASSERT_EQ(scalar_text(Prim::kF64, std::bit_cast<uint64_t>(y)), text);
    }
  }
}

TEST(WriteText, LongArraysCanBeCut) {
  Result<Value> value = Value::allocate(Prim::kI32, {1000, 2});
  ASSERT_TRUE(value);
  for (int32_t& x : value->elements<int32_t>()) x = 7;
  EXPECT_EQ(value_text(*value, 20), "[[7i32, 7i32], [7i32…");
  const std::string all = value_text(*value);
  EXPECT_EQ(all.size(), 1000u * 14);
  EXPECT_EQ(value_text(*value, all.size()), all);
}

TEST(RoundTrip, RandomValuesOfEveryType) {
  Random random(1);
  for (Prim type : kAllPrims) {
    for (int round = 0; round < 40; ++round) {
      std::vector<int64_t> shape(random.below(4));
      for (int64_t& dim : shape) dim = static_cast<int64_t>(random.below(round < 20 ? 4 : 20));
      Result<Value> value = random_value(random, type, shape);
      ASSERT_TRUE(value);
      // Any bits, so also NaNs, infinities and denormal numbers.
      if (is_float(type) && round % 2 == 0) {
        const auto words = std::span(reinterpret_cast<uint8_t*>(value->data.data()),
                                     static_cast<size_t>(value->data.bytes()));
        for (uint8_t& byte : words) byte = static_cast<uint8_t>(random.next());
      }
      const std::string text = written(*value, false), binary = written(*value, true);
      const std::string stream = text + "\n" + binary + text;
      ValueReader reader(stream);
      for (int i = 0; i < 3; ++i) {
        const auto again = i == 2 ? reader.read(type, value->rank()) : reader.read();
        ASSERT_TRUE(again) << again.error().text() << "\n" << text;
        ASSERT_EQ(again->shape, shape);
        // NaNs lose their bits as text, so compare what is printed.
        EXPECT_EQ(written(*again, false), text);
        if (i == 1) {
          EXPECT_EQ(written(*again, true), binary);
        }
      }
      EXPECT_TRUE(reader.at_end());
    }
  }
}

TEST(Output, ReportsWhyItCouldNotWrite) {
  const int fd = open("/dev/full", O_WRONLY);
  Output out(fd);
  out.write(std::string(10000, 'x'));
  out.write("y");
  const Result<Unit> result = out.flush();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), "cannot write the output: No space left on device");
  close(fd);
}

}  // namespace
}  // namespace skald::runtime
