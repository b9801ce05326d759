// SPDX-License-Identifier: Apache-2.0
// Values, comparison, random values, and the slots of compiled entry points.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "runtime/block.h"
#include "runtime/values/compare.h"
#include "runtime/values/entry_call.h"
#include "runtime/values/random_value.h"
#include "runtime/values/value.h"
#include "runtime/values/value_reader.h"
#include "runtime/values/value_writer.h"

namespace skald::runtime {
namespace {

Value parse(std::string_view text) {
  ValueReader reader(text);
  auto value = reader.read();
  SKALD_CHECK(static_cast<bool>(value), "{}", value.error().text());
  return *value;
}

std::string difference(std::string_view expected, std::string_view got) {
  return compare_values(parse(expected), parse(got)).value_or("");
}

TEST(Value, SizesAreChecked) {
  EXPECT_EQ(*byte_size(Prim::kI32, std::vector<int64_t>{2, 3}), 24);
  EXPECT_EQ(*byte_size(Prim::kI32, std::vector<int64_t>{}), 4);
  EXPECT_EQ(*byte_size(Prim::kI64, std::vector<int64_t>{INT64_MAX, 0, INT64_MAX}), 0);
  EXPECT_FALSE(byte_size(Prim::kI8, std::vector<int64_t>{INT64_MAX, 2}));
  EXPECT_FALSE(byte_size(Prim::kI64, std::vector<int64_t>{INT64_MAX}));
  EXPECT_FALSE(byte_size(Prim::kI8, std::vector<int64_t>{0, -1}));
  EXPECT_FALSE(Value::allocate(Prim::kI8, {int64_t{1} << 62}));
  EXPECT_EQ(type_text(Prim::kF32, std::vector<int64_t>{2, 3}), "[2][3]f32");
  EXPECT_EQ(type_text(Prim::kF32, 2), "[][]f32");
}

TEST(Buffer, CopiesShareAndMallocIsAdopted) {
  int32_t* memory = static_cast<int32_t*>(std::malloc(8));
  memory[0] = 5;
  memory[1] = 6;
  Result<Buffer> buffer =
      Buffer::adopt(memory, 8, [](void* data, void*) { std::free(data); }, nullptr);
  ASSERT_TRUE(buffer);
  Value value{Prim::kI32, {2}, *buffer};
  Value copy = value;
  value = parse("1");
  EXPECT_EQ(static_cast<void*>(copy.data.data()), memory);
  EXPECT_EQ(value_text(copy), "[5i32, 6i32]");
}

TEST(Compare, ExactTypes) {
  EXPECT_EQ(difference("[1, 2]", "[1, 2]"), "");
  EXPECT_EQ(difference("1", "2"), "expected 1i32, got 2i32");
  EXPECT_EQ(difference("1", "1i64"), "expected a value of type i32, got one of type i64");
  EXPECT_EQ(difference("[1]", "[1, 2]"), "expected a value of type [1]i32, got one of type [2]i32");
  EXPECT_EQ(difference("empty([0][2]i32)", "empty([2][0]i32)"),
            "expected a value of type [0][2]i32, got one of type [2][0]i32");
  EXPECT_EQ(difference("[[1, 2], [3, 4]]", "[[1, 2], [0, 0]]"),
            "element [1][0]: expected 3i32, got 0i32; 2 of 4 elements differ");
  EXPECT_EQ(difference("true", "false"), "expected true, got false");
}

TEST(Compare, FloatsHaveATolerance) {
  EXPECT_EQ(difference("1.0", "1.0019"), "");
  EXPECT_EQ(difference("1.0", "1.0021"), "expected 1f64, got 1.0021f64 (tolerance 0.002)");
  EXPECT_EQ(difference("[0.0, 1000.0]", "[1.9, 1000.0]"), "");
  EXPECT_NE(difference("[0.0, -1000.0]", "[1.9, -1000.0]"), "");
  EXPECT_EQ(difference("[f32.nan, f32.inf, -f32.inf]", "[f32.nan, f32.inf, -f32.inf]"), "");
  EXPECT_EQ(difference("[1f32, f32.inf]", "[f32.nan, f32.inf]"),
            "element [0]: expected 1f32, got f32.nan (tolerance 0.002)");
  EXPECT_EQ(difference("f32.inf", "-f32.inf"), "expected f32.inf, got -f32.inf (tolerance 0.002)");
  EXPECT_NE(difference("f32.nan", "1f32"), "");
  EXPECT_EQ(difference("1f16", "1.001f16"), "");
  EXPECT_NE(difference("1f16", "1.01f16"), "");
}

TEST(Compare, SeveralValues) {
  const std::vector<Value> a = {parse("1"), parse("[2, 3]")}, b = {parse("1"), parse("[2, 4]")};
  EXPECT_FALSE(compare_values(a, a));
  EXPECT_EQ(compare_values(a, b), "value 1: element [1]: expected 3i32, got 4i32");
  EXPECT_EQ(compare_values(a, std::span(b).first(1)), "expected 2 values, got 1");
}

TEST(Random, IsReproducibleAndInRange) {
  for (Prim type : kAllPrims) {
    Random first(42), second(42), other(43);
    const Value a = *random_value(first, type, {1001}), b = *random_value(second, type, {1001}),
                c = *random_value(other, type, {1001});
    EXPECT_EQ(value_text(a), value_text(b));
    EXPECT_NE(value_text(a), value_text(c));
    std::set<uint64_t> different;
    for (int64_t i = 0; i < 1001; ++i) different.insert(a.element_bits(i));
    EXPECT_GE(different.size(), type == Prim::kBool ? 2u : 200u);
    if (type == Prim::kBool) {
      EXPECT_EQ(*different.rbegin(), 1u);
    }
    if (type == Prim::kF16) {
      EXPECT_LT(*different.rbegin(), 0x3c00u);
    }
  }
  Random random(1);
  const Value floats = *random_value(random, Prim::kF32, {100000});
  const auto [low, high] = std::ranges::minmax(floats.elements<float>());
  EXPECT_GE(low, 0.0f);
  EXPECT_LT(low, 0.001f);
  EXPECT_LT(high, 1.0f);
  EXPECT_GT(high, 0.999f);
}

TEST(Random, SizedTypes) {
  const auto type = parse_sized_type("[10][1_000]f32");
  ASSERT_TRUE(type);
  EXPECT_EQ(type->type, Prim::kF32);
  EXPECT_EQ(type->shape, (std::vector<int64_t>{10, 1000}));
  EXPECT_TRUE(parse_sized_type("bool"));
  for (std::string_view bad : {"", "[]i32", "[1]", "[1i32", "[1]x", "[-1]i32", "[1][2", "i32 ",
                               "[99999999999999999999]i32"})
    EXPECT_FALSE(parse_sized_type(bad)) << bad;
}

TEST(EntryCall, ValuesBecomeSlotsAndBack) {
  const std::vector<Value> values = {parse("-1i8"), parse("[[1.5, 2.5]]"), parse("true")};
  const std::vector<ValueType> types = {{Prim::kI8, 0}, {Prim::kF64, 2}, {Prim::kBool, 0}};
  std::vector<int64_t> slots = pack_slots(values);
  ASSERT_EQ(static_cast<int64_t>(slots.size()), slot_count(types));
  EXPECT_EQ(slots[0], 0xff);
  EXPECT_EQ(slots[2], 1);
  EXPECT_EQ(slots[3], 2);
  // A program that returns its arguments holds references of its own.
  skald_rt_retain(reinterpret_cast<SkaldBlock*>(slots[1]));
  const auto results = unpack_slots(types, slots);
  ASSERT_TRUE(results);
  EXPECT_FALSE(compare_values(values, *results));
}

TEST(EntryCall, AResultMayLieInALargerBlock) {
  SkaldBlock* block = allocate_block(1000);
  std::fill_n(static_cast<uint8_t*>(block->data), 1000, uint8_t{7});
  const std::vector<ValueType> types = {{Prim::kU8, 1}};
  const auto results =
      unpack_slots(types, std::vector<int64_t>{reinterpret_cast<intptr_t>(block), 3});
  ASSERT_TRUE(results);
  EXPECT_EQ(value_text((*results)[0]), "[7u8, 7u8, 7u8]");
}

}  // namespace
}  // namespace skald::runtime
