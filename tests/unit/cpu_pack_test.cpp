// SPDX-License-Identifier: Apache-2.0
// Moving chosen elements together, with every choice of eight neighbours.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "codegen/cpu/compile.h"
#include "imp/parse.h"
#include "imp/verify.h"
#include "runtime/block.h"
#include "runtime/context.h"

namespace skald::cpu {
namespace {

constexpr int64_t kLength = 8 * 256 + 5;

// Packs elements of the type from place `start` on, also past the caches, and compares.
template <class T>
void expect_packed(const char* type, bool stream, bool avx512) {
  const Result<imp::Program> prog =
      imp::parse(fmt::format(R"(
entry "main" fn "main"(heap xs_1, heap marks_2, i64 n_3, i64 start_4) -> (heap, i64) {{
  i64 some_5 = add_i64(n_3, 64i64);
  i64 bytes_6 = mul_i64(some_5, {}i64);
  heap ys_7 = alloc(bytes_6);
  heap room_8 = alloc(bytes_6);
  fill(u8 ys_7[0i64], bytes_6, 77u8);
  i64 k_9 = pack{}({} ys_7[start_4], xs_1[1i64], marks_2, n_3{});
  return (ys_7, k_9);
}})",
                             sizeof(T), stream ? " stream" : "", type, stream ? ", room_8" : ""));
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
  T untouched;
  std::memset(&untouched, 77, sizeof untouched);
  // Of which more and more of a line and of what comes after it.
  for (const int64_t start : {0, 1, 7, 16, 29})
    for (const int64_t length : {kLength, kLength - 5, int64_t{9}, int64_t{0}}) {
      int64_t in[] = {reinterpret_cast<int64_t>(xs), reinterpret_cast<int64_t>(marks), length,
                      start};
      int64_t out[2] = {};
      SkaldContext ctx;
      ASSERT_EQ(compiled->entry("main")(&ctx, in, out), 0);
      auto* ys = reinterpret_cast<SkaldBlock*>(out[0]);
      const T* found = static_cast<const T*>(ys->data);
      int64_t count = 0;
      for (int64_t i = 0; i < length; ++i) count += static_cast<uint8_t*>(marks->data)[i];
      EXPECT_EQ(out[1], count) << type;
      EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + count, found + start)) << type;
      if (stream) {
        EXPECT_EQ(std::count(found, found + start, untouched), start) << type;
        EXPECT_EQ(found[start + count], untouched) << type;
      }
      skald_rt_release(ys);
    }
  for (SkaldBlock* block : {xs, marks}) skald_rt_release(block);
}

TEST(CpuPack, EveryChoiceOfEveryType) {
  for (const bool avx512 : {false, true})
    for (const bool stream : {false, true}) {
      expect_packed<uint8_t>("u8", stream, avx512);
      expect_packed<int16_t>("i16", stream, avx512);
      expect_packed<int32_t>("i32", stream, avx512);
      expect_packed<int64_t>("i64", stream, avx512);
    }
}

}  // namespace
}  // namespace skald::cpu
