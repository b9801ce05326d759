// SPDX-License-Identifier: Apache-2.0
// Neighbouring loops of a lane that become one, and those that stay apart.
#include <gtest/gtest.h>

#include "imp_pass_util.h"

namespace skald::imp {
namespace {

std::string fused(std::string_view text) {
  return after_pass(text, fuse_loops);
}

int count(const std::string& text, std::string_view part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}
int loops(const std::string& text) {
  return count(text, "\n    for (") + count(text, "\n      for (");
}

// A lane that computes `first` and stores it as element i_20 of a_10, then something, then
// `second`, where j_30 counts, which is stored as element `at` of b_11, and last reads b_11
// backwards.
struct Lane {
  std::string first = "f32 y_21 = div_f32(x_22, 3f32);\n f32 a_10[i_20] = y_21;";
  std::string between = "";
  std::string second = "f32 z_31 = a_10[j_30];\n f32 b_11[j_30] = z_31;";
  std::string end = "n_3";
  std::string result = "b_11";

  std::string text() const {
    return R"(fn "f"(heap in_1, heap out_2, i64 n_3, i64 m_4, i64 w_5) -> () {
  simd for (i64 p_6 = 0i64; p_6 < w_5; p_6 += 1i64) {
    scratch a_10 = alloc(m_4) @0;
    scratch b_11 = alloc(m_4) @0;
    f32 x_22 = in_1[p_6];
    for (i64 i_20 = 0i64; i_20 < n_3; i_20 += 1i64) {
)" + first +
           "\n}\n" + between + "for (i64 j_30 = 0i64; j_30 < " + end + "; j_30 += 1i64) {\n" +
           second + R"(
    }
    var f32 s_40 = 0f32;
    for (i64 k_41 = 0i64; k_41 < n_3; k_41 += 1i64) {
      i64 at_42 = sub_i64(n_3, k_41);
      f32 v_43 = )" +
           result + R"([at_42];
      f32 d_44 = div_f32(s_40, v_43);
      s_40 = d_44;
    }
    f32 out_2[p_6] = s_40;
  }
  return ();
}
)";
  }
  std::string run() const { return fused(text()); }
};

TEST(Fuse, AValueOfTheSameIteration) {
  const std::string text = Lane().run();
  EXPECT_EQ(loops(text), 2) << text;
  EXPECT_EQ(count(text, "a_10"), 0) << text;
  EXPECT_EQ(count(text, "f32 z_31 = y_21;"), 1) << text;
}

const char* const kBefore = R"(bool c_32 = lt_i64(0i64, j_30);
 var f32 r_33 = 0f32;
 if (c_32) { i64 at_34 = sub_i64(j_30, 1i64);
 f32 z_31 = a_10[at_34];
 r_33 = z_31; } else { r_33 = 1f32; }
 f32 b_11[j_30] = r_33;)";

TEST(Fuse, AValueOfTheIterationBefore) {
  const std::string text = Lane{.second = kBefore}.run();
  EXPECT_EQ(loops(text), 2) << text;
  EXPECT_EQ(count(text, "a_10"), 0) << text;
  EXPECT_EQ(count(text, "last_"), 3) << text;
}

// What is stored is a variable that changes before the iteration ends.
TEST(Fuse, AVariableIsWhatItWasWhenItWasStored) {
  const std::string text =
      Lane{.first = "var f32 t_23 = x_22;\n f32 a_10[i_20] = t_23;\n t_23 = 5f32;"}.run();
  EXPECT_EQ(loops(text), 2) << text;
  EXPECT_EQ(count(text, "= t_23;"), 1) << text;
  EXPECT_EQ(count(text, "f32 z_31 = stored_"), 1) << text;
}

// In the first iteration it would be the element before the row.
TEST(Fuse, TheFirstIterationReadsMemory) {
  const std::string text = Lane{.second =
                                    "i64 at_34 = sub_i64(j_30, 1i64);\n f32 z_31 = a_10[at_34];\n"
                                    "f32 y_35 = a_10[j_30];\n f32 s_36 = add_f32(z_31, y_35);\n"
                                    "f32 b_11[j_30] = s_36;"}
                               .run();
  EXPECT_EQ(loops(text), 2) << text;
  EXPECT_EQ(count(text, "= a_10["), 1) << text;
  EXPECT_EQ(count(text, "f32 a_10["), 1) << text;
}

TEST(Fuse, TheFirstElement) {
  const std::string text =
      Lane{.between = "f32 e_50 = a_10[0i64];\n",
           .second =
               "f32 z_31 = a_10[j_30];\n f32 s_36 = add_f32(z_31, e_50);\n f32 b_11[j_30] = s_36;"}
          .run();
  EXPECT_EQ(loops(text), 2) << text;
  EXPECT_EQ(count(text, "a_10"), 0) << text;
  EXPECT_EQ(count(text, "var f32 e_50 = 0f32;"), 1) << text;
  EXPECT_EQ(count(text, "e_50 = y_21;"), 1) << text;
}

// If the row is empty, the element is one from before.
TEST(Fuse, TheFirstElementOfAFilledRow) {
  const std::string text =
      Lane{.first = "f32 y_21 = div_f32(x_22, 3f32);\n f32 b_11[i_20] = y_21;",
           .between =
               "f32 e_50 = a_10[0i64];\n fill(f32 a_10[0i64], n_3, e_50);\n"
               "for (i64 i_60 = 0i64; i_60 < n_3; i_60 += 1i64) { f32 u_61 = a_10[i_60];\n"
               "f32 q_62 = div_f32(u_61, x_22);\n f32 a_10[i_60] = q_62; }\n"
               "f32 e_51 = a_10[0i64];\n",
           .second =
               "f32 z_31 = a_10[j_30];\n f32 s_36 = add_f32(z_31, e_51);\n f32 b_11[j_30] = s_36;"}
          .run();
  EXPECT_EQ(loops(text), 4) << text;
}

TEST(Fuse, WhatIsReadLaterIsStored) {
  const std::string text = Lane{.result = "a_10"}.run();
  EXPECT_EQ(loops(text), 2) << text;
  EXPECT_EQ(count(text, "f32 a_10[i_20] = y_21;"), 1) << text;
  EXPECT_EQ(count(text, "b_11"), 0) << text;
}

// Both write the same elements: the second store counts, and the load between is a value.
TEST(Fuse, ARowThatIsOverwritten) {
  const std::string text =
      Lane{.second =
               "f32 z_31 = a_10[j_30];\n f32 q_32 = div_f32(z_31, x_22);\n f32 a_10[j_30] = q_32;",
           .result = "a_10"}
          .run();
  EXPECT_EQ(loops(text), 2) << text;
  EXPECT_EQ(count(text, "f32 a_10["), 1) << text;
}

TEST(Fuse, WhatOnlyTheSecondLoopNeedsGoesFirst) {
  const std::string text = Lane{.between =
                                    "f32 e_50 = in_1[0i64];\n fill(f32 b_11[0i64], n_3, e_50);\n"
                                    "bool c_51 = lt_i64(0i64, m_4);\n check(c_51, \"no\") @0;\n"}
                               .run();
  EXPECT_EQ(loops(text), 2) << text;
}

// ---- those that stay apart

TEST(Fuse, AnElementThatIsNotThereYet) {
  const std::string text = Lane{.second =
                                    "i64 at_34 = add_i64(j_30, 1i64);\n f32 z_31 = a_10[at_34];\n"
                                    "f32 y_35 = a_10[j_30];\n f32 s_36 = add_f32(z_31, y_35);\n"
                                    "f32 b_11[j_30] = s_36;"}
                               .run();
  EXPECT_EQ(loops(text), 3) << text;
}

TEST(Fuse, ARowBackwards) {
  EXPECT_EQ(loops(Lane{.second = "i64 at_34 = sub_i64(n_3, j_30);\n f32 z_31 = a_10[at_34];\n"
                                 "f32 y_35 = a_10[j_30];\n f32 s_36 = add_f32(z_31, y_35);\n"
                                 "f32 b_11[j_30] = s_36;"}
                      .run()),
            3);
}

TEST(Fuse, OtherBounds) {
  EXPECT_EQ(loops(Lane{.end = "m_4"}.run()), 3);
}

// The first loop still reads what the second one would have overwritten.
TEST(Fuse, AnElementThatIsReadLater) {
  const std::string reads = R"(i64 at_24 = sub_i64(i_20, 1i64);
 f32 o_25 = b_11[at_24];
 f32 y_21 = div_f32(x_22, o_25);
 f32 a_10[i_20] = y_21;)";
  EXPECT_EQ(loops(Lane{.first = reads}.run()), 3);
  // One element ahead it has been read.
  std::string ahead = reads;
  ahead.replace(ahead.find("sub_i64"), 7, "add_i64");
  EXPECT_EQ(loops(Lane{.first = ahead}.run()), 2);
}

TEST(Fuse, AVariableThatTheFirstLoopSumsUp) {
  std::string summed = Lane().text();
  summed.replace(summed.find("    for (i64 i_20"), 0, "    var f32 t_60 = 0f32;\n");
  summed.replace(summed.find("f32 a_10[i_20] = y_21;"), 0, "t_60 = y_21;\n");
  summed.replace(summed.find("f32 b_11[j_30] = z_31;"), 22,
                 "f32 s_36 = add_f32(z_31, t_60);\n f32 b_11[j_30] = s_36;");
  EXPECT_EQ(loops(fused(summed)), 3);
}

const char* const kCheck = "bool c_70 = lt_f32(y_21, 9f32);\n check(c_70, \"first\") @0;\n";

TEST(Fuse, OnlyTheSecondLoopMayFail) {
  Lane lane;
  lane.first += "\n";
  lane.first += kCheck;
  EXPECT_EQ(loops(lane.run()), 3);
  Lane other;
  other.second += "\nbool c_71 = lt_f32(z_31, 9f32);\n check(c_71, \"second\") @0;";
  EXPECT_EQ(loops(other.run()), 2);
}

TEST(Fuse, NothingIsSaved) {
  EXPECT_EQ(loops(Lane{.second = "f32 z_31 = div_f32(x_22, 7f32);\n f32 b_11[j_30] = z_31;"}.run()),
            3);
}

TEST(Fuse, AStoreThatIsNotAlwaysDone) {
  const std::string text = Lane{.first =
                                    "bool c_26 = lt_i64(i_20, m_4);\n"
                                    "if (c_26) { f32 a_10[i_20] = x_22; }"}
                               .run();
  EXPECT_EQ(loops(text), 3) << text;
}

}  // namespace
}  // namespace skald::imp
