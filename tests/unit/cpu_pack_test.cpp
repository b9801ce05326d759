// SPDX-License-Identifier: Apache-2.0
// Moving chosen elements together, with every choice of eight neighbours.
#include <gtest/gtest.h>

#include "codegen/cpu/compile.h"
#include "imp/parse.h"
#include "imp/verify.h"
#include "runtime/block.h"
#include "runtime/context.h"

namespace skald::cpu {
namespace {

// Packs elements of the type behind one other, and compares.
template <class T>
void expect_packed(const char* type, bool avx512) {
  const Result<imp::Program> prog = imp::parse(fmt::format(R"(
entry "main" fn "main"(heap xs_1, heap marks_2, i64 n_3) -> (heap, i64) {{
  i64 some_4 = add_i64(n_3, 1i64);
  i64 bytes_5 = mul_i64(some_4, {}i64);
  heap ys_6 = alloc(bytes_5);
  i64 k_7 = pack({} ys_6[1i64], xs_1, marks_2, n_3);
  return (ys_6, k_7);
}})",
                                                           sizeof(T), type));
  ASSERT_TRUE(prog) << prog.error();
  imp::verify_or_bug(*prog, "parsing");
  const Result<CompiledProgram> compiled = compile(*prog, {.avx512 = avx512});
  ASSERT_TRUE(compiled) << compiled.error();
  constexpr int64_t kLength = 8 * 256 + 5;
  SkaldBlock* xs = runtime::allocate_block(kLength * static_cast<int64_t>(sizeof(T)));
  SkaldBlock* marks = runtime::allocate_block(kLength);
  std::vector<T> expected;
  for (int64_t i = 0; i < kLength; ++i) {
    const bool chosen = (i / 8 >> i % 8 & 1) != 0 || i == kLength - 2;
    const T x = static_cast<T>(static_cast<uint64_t>(i) * 0x0123'4567'89ab'cdef);
    static_cast<T*>(xs->data)[i] = x;
    static_cast<uint8_t*>(marks->data)[i] = chosen;
    if (chosen) expected.push_back(x);
  }
  int64_t in[] = {reinterpret_cast<int64_t>(xs), reinterpret_cast<int64_t>(marks), kLength};
  int64_t out[2] = {};
  SkaldContext ctx;
  ASSERT_EQ(compiled->entry("main")(&ctx, in, out), 0);
  auto* ys = reinterpret_cast<SkaldBlock*>(out[0]);
  const T* found = static_cast<const T*>(ys->data) + 1;
  EXPECT_EQ(std::vector<T>(found, found + out[1]), expected) << type;
  for (SkaldBlock* block : {xs, marks, ys}) skald_rt_release(block);
}

TEST(CpuPack, EveryChoiceOfEveryType) {
  for (const bool avx512 : {false, true}) {
    expect_packed<uint8_t>("u8", avx512);
    expect_packed<int16_t>("i16", avx512);
    expect_packed<int32_t>("i32", avx512);
    expect_packed<int64_t>("i64", avx512);
  }
}

}  // namespace
}  // namespace skald::cpu
