// SPDX-License-Identifier: Apache-2.0
// Blocks that nobody reads, and what was computed for them.
#include <gtest/gtest.h>

#include "imp_pass_util.h"

namespace skald::imp {
namespace {

std::string without_unread(std::string_view text) {
  return after_pass(text, remove_unread);
}

// A loop that carries two values, the first of which does not need the second, and stores both.
std::string two_results(std::string_view last) {
  return std::string(R"(fn "f"(heap a_1, i64 n_2) -> (heap) {
  heap b_3 = alloc(n_2);
  heap c_4 = alloc(n_2);
  var i32 x_5 = 0i32;
  var i32 y_6 = 1i32;
  for (i64 i_7 = 0i64; i_7 < n_2; i_7 += 1i64) {
    i32 t_8 = a_1[i_7];
    i32 t_9 = add_i32(x_5, t_8);
    i32 t_10 = mul_i32(y_6, t_9);
    x_5 = t_9;
    y_6 = t_10;
    i32 b_3[i_7] = x_5;
    i32 c_4[i_7] = y_6;
  }
)") + std::string(last) +
         R"(  free(c_4);
  return (b_3);
}
)";
}

TEST(Unread, NothingIsLeftOfABlockThatNobodyReads) {
  EXPECT_EQ(without_unread(two_results("")), R"(fn "f"(heap a_1, i64 n_2) -> (heap) {
  heap b_3 = alloc(n_2);
  var i32 x_5 = 0i32;
  for (i64 i_7 = 0i64; i_7 < n_2; i_7 += 1i64) {
    i32 t_8 = a_1[i_7];
    i32 t_9 = add_i32(x_5, t_8);
    x_5 = t_9;
    i32 b_3[i_7] = x_5;
  }
  return (b_3);
}
)");
}

TEST(Unread, ABlockThatIsReadStays) {
  const std::string reads[] = {
      "  i32 z_11 = c_4[0i64];\n  i32 b_3[0i64] = z_11;\n",
      "  copy(b_3 + 0i64, c_4 + 0i64, n_2);\n",
      "  copy(a_1 + 0i64, c_4 + 0i64, n_2);\n",
      "  call () = \"g\"(c_4);\n",
      "  heap d_11 = c_4;\n  i32 z_12 = d_11[0i64];\n  i32 b_3[0i64] = z_12;\n  free(d_11);\n",
  };
  for (const std::string& read : reads) {
    const std::string text = two_results(read) + "fn \"g\"(heap a_20) -> () {\n  return ();\n}\n";
    EXPECT_EQ(without_unread(text), text);
  }
}

// What is read for such a block only goes with it.
TEST(Unread, ACopyIntoSuchABlockIsNoUse) {
  const std::string text = without_unread(
      two_results("  heap d_11 = alloc(n_2);\n  copy(d_11 + 0i64, c_4 + 0i64, n_2);\n"
                  "  free(d_11);\n"));
  EXPECT_EQ(text.find("c_4"), std::string::npos) << text;
  EXPECT_EQ(text.find("d_11"), std::string::npos) << text;
}

}  // namespace
}  // namespace skald::imp
