// SPDX-License-Identifier: Apache-2.0
// Moving chosen elements together (imp::Collect), with every choice of eight neighbours.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "codegen/cpu/compile.h"
#include "imp/verify/verify.h"
#include "in_lanes_util.h"
#include "runtime/block.h"
#include "runtime/context.h"

namespace skald::cpu {
namespace {

constexpr int64_t kLength = 8 * 256 + 5;

// Collects elements of the type from place `start` on, beside others of another type, and compares.
template <class T>
void expect_packed(const char* type, const char* other, bool avx512) {
  const std::string text = fmt::format(R"(
entry "main" fn "main"(heap xs_1, heap marks_2, i64 n_3, i64 start_4) -> (heap, heap, i64) {{
  i64 some_5 = add_i64(n_3, 128i64);
  i64 bytes_6 = mul_i64(some_5, 8i64);
  heap ys_7 = alloc(bytes_6);
  heap zs_8 = alloc(bytes_6);
  fill(u8 ys_7[0i64], bytes_6, 77u8);
  var i64 k_9 = start_4;
  simd for (i64 i_10 = 0i64; i_10 < n_3; i_10 += 1i64) {{
    u8 mark_11 = marks_2[i_10];
    bool c_12 = eq_u8(mark_11, 1u8);
    i64 at_13 = add_i64(i_10, 1i64);
    {0} x_14 = xs_1[at_13];
    {1} z_15 = convert(i64, {1}, i_10);
    collect(c_12, k_9, {0} ys_7 = x_14, {1} zs_8 = z_15);
  }}
  return (ys_7, zs_8, k_9);
}})",
                                       type, other);
  const Result<imp::Program> prog = in_lanes(text, {.avx512 = avx512});
  ASSERT_TRUE(prog) << prog.error();
  imp::verify_or_bug(*prog, "parsing");
  const Result<CompiledProgram> compiled = compile(*prog, {.avx512 = avx512});
  ASSERT_TRUE(compiled) << compiled.error();
  SkaldBlock* xs = runtime::allocate_block((kLength + 1) * static_cast<int64_t>(sizeof(T)));
  SkaldBlock* marks = runtime::allocate_block(kLength);
  std::vector<T> expected;
  for (int64_t i = 0; i < kLength; ++i) {
    const bool chosen = (i / 8 >> i % 8 & 1) != 0 || i == kLength - 2;
    const T x = static_cast<T>(static_cast<uint64_t>(i) * 0x0123'4567'89ab'cdef);
    static_cast<T*>(xs->data)[i + 1] = x;
    static_cast<uint8_t*>(marks->data)[i] = chosen;
    if (chosen) expected.push_back(x);
  }
  const std::string wide = other;
  const int64_t other_size = wide == "u8" ? 1 : wide == "i16" ? 2 : wide == "i32" ? 4 : 8;
  T untouched;
  std::memset(&untouched, 77, sizeof untouched);
  // Of which more and more of a line and of what comes after it.
  for (const int64_t start : {0, 1, 7, 16, 29})
    for (const int64_t length : {kLength, kLength - 5, int64_t{9}, int64_t{0}}) {
      int64_t in[] = {reinterpret_cast<int64_t>(xs), reinterpret_cast<int64_t>(marks), length,
                      start};
      int64_t out[3] = {};
      SkaldContext ctx;
      ASSERT_EQ(compiled->entry("main")(&ctx, in, out), 0);
      auto* ys = reinterpret_cast<SkaldBlock*>(out[0]);
      auto* zs = reinterpret_cast<SkaldBlock*>(out[1]);
      const T* found = static_cast<const T*>(ys->data);
      int64_t count = 0;
      for (int64_t i = 0; i < length; ++i) count += static_cast<uint8_t*>(marks->data)[i];
      EXPECT_EQ(out[2], start + count) << type;
      EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + count, found + start)) << type;
      // Which of them it was, as far as the other type says.
      for (int64_t i = 0, k = start; i < length; ++i) {
        if (static_cast<uint8_t*>(marks->data)[i] == 0) continue;
        EXPECT_EQ(static_cast<uint8_t*>(zs->data)[k * other_size], static_cast<uint8_t>(i)) << type;
        ++k;
      }
      EXPECT_EQ(std::count(found, found + start, untouched), start) << type;
      EXPECT_EQ(found[start + length + imp::kCollectRoom - 1], untouched) << type;
      skald_rt_release(ys);
      skald_rt_release(zs);
    }
  for (SkaldBlock* block : {xs, marks}) skald_rt_release(block);
}

TEST(CpuPack, EveryChoiceOfEveryType) {
  for (const bool avx512 : {false, true})
    for (const char* other : {"u8", "i16", "i32", "i64"}) {
      expect_packed<uint8_t>("u8", other, avx512);
      expect_packed<int16_t>("i16", other, avx512);
      expect_packed<int32_t>("i32", other, avx512);
      expect_packed<int64_t>("i64", other, avx512);
    }
}

}  // namespace
}  // namespace skald::cpu
