// SPDX-License-Identifier: Apache-2.0
// Random bytes and damaged values: the reader must end with a value or an error, never worse.
// Meant to run under AddressSanitizer too.
#include <gtest/gtest.h>

#include <string>

#include "runtime/values/random_value.h"
#include "runtime/values/value_reader.h"
#include "runtime/values/value_writer.h"

namespace skald::runtime {
namespace {

// Reads until the end or an error; whatever was read must be consistent and print.
void consume(const std::string& bytes, Random& random) {
  ValueReader reader(bytes);
  for (int i = 0; i < 1000 && !reader.at_end(); ++i) {
    const bool any = random.below(2) == 0;
    const Prim type = kAllPrims[random.below(kAllPrims.size())];
    const auto value = any ? reader.read() : reader.read(type, static_cast<int>(random.below(3)));
    if (!value) {
      EXPECT_LE(value.error().at.offset, static_cast<int64_t>(bytes.size()));
      EXPECT_FALSE(value.error().text().empty());
      return;
    }
    const Result<int64_t> size = byte_size(value->type, value->shape);
    ASSERT_TRUE(size);
    ASSERT_EQ(*size, value->data.bytes());
    EXPECT_FALSE(value_text(*value, 100).empty());
  }
}

TEST(ValueFuzz, RandomBytes) {
  Random random(11);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes(random.below(64), ' ');
    for (char& c : bytes) c = static_cast<char>(random.next());
    if (round % 2 == 0) bytes.insert(0, "b\x02");
    consume(bytes, random);
  }
}

TEST(ValueFuzz, RandomTokens) {
  constexpr std::string_view kTokens[] = {
      "[",
      "]",
      ",",
      "1",
      "-",
      "0x",
      "f32",
      ".nan",
      "i8",
      "e",
      ".",
      "_",
      "empty",
      "(",
      ")",
      "\"",
      "\\",
      "x",
      "--",
      "\n",
      " ",
      "true",
      "[0]",
      "[1, 2]",
      "0b",
      "p",
      "+",
      "9e9",
      "inf",
      "b",
      "b\x02",
      "999999999999999999999",
      "empty([0]i32)",
      "\x02\x01 i32",
      "[[",
      "]]",
      "u64",
      "f16.",
  };
  Random random(12);
  for (int round = 0; round < 50000; ++round) {
    std::string text;
    for (uint64_t n = random.below(20); n > 0; --n)
      text += kTokens[random.below(std::size(kTokens))];
    consume(text, random);
  }
}

TEST(ValueFuzz, DamagedValues) {
  Random random(13);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes;
    {
      Output out(bytes);
      for (uint64_t n = 1 + random.below(3); n > 0; --n) {
        std::vector<int64_t> shape(random.below(3));
        for (int64_t& dim : shape) dim = static_cast<int64_t>(random.below(5));
        const Prim type = kAllPrims[random.below(kAllPrims.size())];
        const Result<Value> value = random_value(random, type, shape);
        ASSERT_TRUE(value);
        if (random.below(2) == 0)
          write_text(out, *value);
        else
          write_binary(out, *value);
        out.write(" ");
      }
    }
    for (uint64_t n = random.below(4); n > 0; --n) {
      const size_t at = random.below(bytes.size());
      switch (random.below(3)) {
        case 0: bytes[at] = static_cast<char>(random.next()); break;
        case 1: bytes.erase(at, 1 + random.below(4)); break;
        default: bytes.insert(at, 1, static_cast<char>(random.next()));
      }
      if (bytes.empty()) bytes = " ";
    }
    consume(bytes, random);
  }
}

}  // namespace
}  // namespace skald::runtime
