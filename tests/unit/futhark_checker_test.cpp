// SPDX-License-Identifier: Apache-2.0
// One Checker for many programs: what one of them says or gets wrong must not matter to the next.
#include <gtest/gtest.h>

#include "frontend/futhark/check/check.h"

namespace skald::futhark {
namespace {

TEST(Checker, ProgramsDoNotSeeEachOther) {
  Checker checker;
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(checker.check("a.fut", "def helper (x: i32) = x\nentry main = map helper"));
    EXPECT_TRUE(checker.diagnostics().all().empty());
    EXPECT_FALSE(checker.check("b.fut", "def main (x: i32) = helper x"));
    ASSERT_EQ(checker.diagnostics().all().size(), 1u);
    EXPECT_EQ(checker.diagnostics().all()[0].code, "unknown-name");
    EXPECT_EQ(checker.sources().describe(checker.diagnostics().all()[0].labels[0].span),
              "b.fut:1:21-27");
  }
}

TEST(Checker, ThePreludeStaysWhole) {
  Checker checker;
  const std::string uses_much =
      "def main [n] (xs: [n]f32) = f32.sum (scan (f32.max) f32.lowest (filter (> 0) xs))";
  EXPECT_TRUE(checker.check("a.fut", uses_much));
  EXPECT_FALSE(checker.check("b.fut", "def main = f32.sum (map (\\x -> x + true) [1f32])"));
  EXPECT_FALSE(checker.check("c.fut", "def main = ("));
  EXPECT_FALSE(checker.check("d.fut", "import \"lib\"\ndef main = 1i32"));
  // Its own definitions of the same names.
  EXPECT_TRUE(checker.check("e.fut", "module f32 = { def sum = 1i32 }\ndef main = f32.sum"));
  EXPECT_TRUE(checker.check("f.fut", uses_much));
}

}  // namespace
}  // namespace skald::futhark
