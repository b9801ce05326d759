// SPDX-License-Identifier: Apache-2.0
// Parts of a program that are linked when they are asked for.
#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/cpu/compile.h"
#include "imp/text/parse.h"
#include "imp/verify/verify.h"
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

// Three kernels: two arms of a branch, and a later branch.
constexpr std::string_view kArms = R"(
entry "main" fn "main"(i64 n_1, i64 way_2) -> (i64) {
  heap sums_3 = alloc(24i64);
  fill(i64 sums_3[0i64], 3i64, 0i64);
  bool first_4 = eq_i64(way_2, 0i64);
  if (first_4) {
    parallel for (i_5 < n_1; grain 1i64) {
      atomic add_i64(sums_3[0i64], 1i64);
    }
  } else {
    parallel for (i_6 < n_1; grain 1i64) {
      atomic add_i64(sums_3[1i64], 10i64);
    }
  }
  bool third_7 = eq_i64(way_2, 2i64);
  if (third_7) {
    parallel for (i_8 < n_1; grain 1i64) {
      atomic add_i64(sums_3[2i64], 100i64);
    }
  }
  i64 a_9 = sums_3[0i64];
  i64 b_10 = sums_3[1i64];
  i64 c_11 = sums_3[2i64];
  i64 t_12 = add_i64(a_9, b_10);
  i64 s_13 = add_i64(t_12, c_11);
  return (s_13);
})";

ProgramImage image(std::string_view text = kParts) {
  Result<imp::Program> prog = imp::parse(text);
  if (!prog) SKALD_BUG("{}", prog.error());
  imp::verify_or_bug(*prog, "parsing");
  Result<ProgramImage> made = compile_to_image(*prog);
  if (!made) SKALD_BUG("{}", made.error());
  return std::move(*made);
}

bool has_symbol(const ProgramImage::Part& part, std::string_view symbol) {
  return std::ranges::find(part.symbols, symbol) != part.symbols.end();
}

int64_t run(const CompiledProgram& prog, int64_t way) {
  SkaldContext ctx;
  int64_t in[] = {7, way}, out[] = {0};
  EXPECT_EQ(prog.entry("main")(&ctx, in, out), 0);
  return out[0];
}

// The object code of a kernel; empty if it is not compiled.
std::string& object_of(ProgramImage& image, size_t kernel) {
  const auto part = std::ranges::find_if(image.parts, [&](const ProgramImage::Part& p) {
    return has_symbol(p, image.kernels.at(kernel).symbol);
  });
  EXPECT_NE(part, image.parts.end());
  return part->object;
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
      broken.parts, [](const ProgramImage::Part& p) { return has_symbol(p, "self.half"); });
  ASSERT_NE(part, broken.parts.end());
  ASSERT_FALSE(has_symbol(*part, "self.down"));
  part->symbols = {"f.nobody"};
  const Result<CompiledProgram> prog = load(std::move(broken));
  ASSERT_TRUE(prog);
  EXPECT_THROW(prog->entry("main"), InternalError);
  EXPECT_THROW(prog->entry("other"), InternalError);
}

TEST(CpuLoader, ArmThatIsNotTakenIsNotCompiled) {
  const Result<CompiledProgram> prog = load(image(kArms));
  ASSERT_TRUE(prog);
  EXPECT_EQ(run(*prog, 0), 7);
  std::optional<ProgramImage> so_far = prog->new_image();
  ASSERT_TRUE(so_far);
  EXPECT_FALSE(object_of(*so_far, 0).empty());
  EXPECT_TRUE(object_of(*so_far, 1).empty());
}

TEST(CpuLoader, CachedProgramCompilesNothingBeforeItIsCalled) {
  std::optional<ProgramImage> cached;
  {
    const Result<CompiledProgram> prog = load(image(kArms));
    ASSERT_TRUE(prog);
    EXPECT_EQ(run(*prog, 0), 7);
    cached = prog->new_image();
    ASSERT_TRUE(cached);
    // A thread that had nothing else to do may have begun with it.
    object_of(*cached, 2).clear();
  }
  const Result<CompiledProgram> prog = load(std::move(*cached));
  ASSERT_TRUE(prog);
  EXPECT_EQ(run(*prog, 0), 7);
  EXPECT_FALSE(prog->new_image());
  EXPECT_EQ(run(*prog, 1), 70);
  std::optional<ProgramImage> more = prog->new_image();
  ASSERT_TRUE(more);
  EXPECT_FALSE(object_of(*more, 1).empty());
  EXPECT_TRUE(object_of(*more, 2).empty());
  EXPECT_EQ(run(*prog, 2), 770);
}

// As above, from bytes.
TEST(CpuLoader, GroupsOfKernelsAreKept) {
  const ProgramImage made = image(kArms);
  const std::optional<ProgramImage> read = image_from_bytes(to_bytes(made));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->groups.size(), 4u);
  EXPECT_EQ(read->groups[1].rival, 2u);
  EXPECT_EQ(read->groups[2].rival, 1u);
  EXPECT_EQ(read->groups[3].rival, 0u);
  for (size_t k = 0; k < 3; ++k) EXPECT_EQ(read->kernels.at(k).group, k + 1);
}

}  // namespace
}  // namespace skald::cpu
