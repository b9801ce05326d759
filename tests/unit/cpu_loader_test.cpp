// SPDX-License-Identifier: Apache-2.0
// Parts of a program that are linked when they are asked for.
#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/cpu/compile.h"
#include "imp/parse.h"
#include "imp/verify.h"
#include "runtime/context.h"
#include "support/bug.h"

namespace skald::cpu {
namespace {

// Recursive functions are not inlined.  "down" and "half" are called by different sets of entry
// points, so each is a part of its own; what "main" calls calls another part in turn.
constexpr std::string_view kParts = R"(
fn "half"(i64 n_1) -> (i64) {
  var i64 r_2 = 0i64;
  bool more_3 = lt_i64(1i64, n_1);
  if (more_3) {
    i64 m_4 = quot_i64(n_1, 2i64);
    call (i64 t_5) = "half"(m_4);
    i64 s_6 = add_i64(t_5, 1i64);
    r_2 = s_6;
  }
  return (r_2);
}
fn "down"(i64 n_10) -> (i64) {
  var i64 r_11 = 0i64;
  bool more_12 = lt_i64(0i64, n_10);
  if (more_12) {
    i64 m_13 = sub_i64(n_10, 1i64);
    call (i64 t_14) = "down"(m_13);
    call (i64 u_15) = "half"(n_10);
    i64 s_16 = add_i64(t_14, u_15);
    r_11 = s_16;
  }
  return (r_11);
}
entry "main" fn "main"(i64 n_20) -> (i64) {
  call (i64 r_21) = "down"(n_20);
  return (r_21);
}
entry "other" fn "other"(i64 n_30) -> (i64) {
  call (i64 r_31) = "down"(n_30);
  i64 s_32 = add_i64(r_31, 1i64);
  return (s_32);
}
entry "third" fn "third"(i64 n_40) -> (i64) {
  call (i64 r_41) = "half"(n_40);
  return (r_41);
})";

ProgramImage image() {
  Result<imp::Program> prog = imp::parse(kParts);
  if (!prog) SKALD_BUG("{}", prog.error());
  imp::verify_or_bug(*prog, "parsing");
  Result<ProgramImage> made = compile_to_image(*prog);
  if (!made) SKALD_BUG("{}", made.error());
  return std::move(*made);
}

bool has_symbol(const ProgramImage::Part& part, std::string_view symbol) {
  return std::ranges::find(part.symbols, symbol) != part.symbols.end();
}

TEST(CpuLoader, PartsCallEachOther) {
  const Result<CompiledProgram> prog = load(image());
  ASSERT_TRUE(prog);
  SkaldContext ctx;
  int64_t in[] = {5}, out[] = {0};
  ASSERT_EQ(prog->entry("main")(&ctx, in, out), 0);
  EXPECT_EQ(out[0], 0 + 1 + 1 + 2 + 2);
}

// LLVM hands out the address of "main" although "down", which it calls, cannot be linked.
TEST(CpuLoader, PartThatCannotBeLinkedIsReported) {
  ProgramImage broken = image();
  const auto part = std::ranges::find_if(
      broken.parts, [](const ProgramImage::Part& p) { return has_symbol(p, "f.half"); });
  ASSERT_NE(part, broken.parts.end());
  ASSERT_FALSE(has_symbol(*part, "f.down"));
  part->symbols = {"f.nobody"};
  const Result<CompiledProgram> prog = load(std::move(broken));
  ASSERT_TRUE(prog);
  EXPECT_THROW(prog->entry("main"), InternalError);
  EXPECT_THROW(prog->entry("other"), InternalError);
}

}  // namespace
}  // namespace skald::cpu
