// SPDX-License-Identifier: Apache-2.0
// Loops that begin and end where they do something.
#include <gtest/gtest.h>

#include "imp_pass_util.h"

namespace skald::imp {
namespace {

std::string narrowed(std::string_view text) {
  return after_pass(text, narrow_loops);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// A loop that stores `value` where `cond` holds, and what it read elsewhere.
std::string conditional(std::string_view cond, std::string_view index, std::string_view more = "") {
  return std::string(R"(fn "f"(heap a_1, heap b_2, i64 n_3, i64 k_4) -> () {
  for (i64 i_5 = 0i64; i_5 < n_3; i_5 += 1i64) {
    i32 x_6 = a_1[i_5];
    bool c_7 = )") +
         std::string(cond) + R"(;
    var i32 r_8 = 0i32;
    if (c_7) {
      r_8 = 1i32;
    } else {
      r_8 = x_6;
    }
)" + std::string(more) +
         "    i64 at_9 = add_i64(i_5, 0i64);\n    i32 a_1[" + std::string(index) + R"(] = r_8;
  }
  return ();
}
)";
}

TEST(Narrow, BeginsAtTheBorder) {
  const std::string text = narrowed(conditional("le_i64(k_4, i_5)", "i_5"));
  EXPECT_TRUE(has(text, "max_i64(0i64, k_4)")) << text;
  EXPECT_FALSE(has(text, "if (")) << text;
  EXPECT_TRUE(has(text, "i32 a_1[i_5] = 1i32;")) << text;
}

TEST(Narrow, AnEqualityLeavesOneIteration) {
  const std::string text = narrowed(conditional("eq_i64(i_5, k_4)", "i_5"));
  EXPECT_TRUE(has(text, "max_i64(0i64, k_4)")) << text;
  EXPECT_TRUE(has(text, "min_i64(n_3, ")) << text;
  EXPECT_FALSE(has(text, "if (")) << text;
}

TEST(Narrow, AConditionThatStaysTheSameIsAskedOnce) {
  const std::string text = narrowed(conditional("lt_i64(k_4, 5i64)", "i_5"));
  EXPECT_LT(text.find("if ("), text.find("for (")) << text;
}

// Elements that do not say by their index whether they change are stored all together.
TEST(Narrow, OtherConditionsStay) {
  const std::string text = narrowed(conditional("lt_i32(x_6, 5i32)", "i_5"));
  EXPECT_TRUE(has(text, "i32 a_1[i_5] = r_8;")) << text;
}

TEST(Narrow, StoresElsewhereStay) {
  EXPECT_TRUE(has(narrowed(conditional("le_i64(k_4, i_5)", "k_4")), "i32 a_1[k_4] = r_8;"));
  // Between reading and storing, somebody else may have been there.
  EXPECT_TRUE(has(narrowed(conditional("le_i64(k_4, i_5)", "i_5", "    i32 a_1[k_4] = 7i32;\n")),
                  "i32 a_1[i_5] = r_8;"));
}

TEST(Narrow, ParallelPiecesAreCutFromWhatIsLeft) {
  const std::string text = narrowed(R"(fn "f"(heap a_1, i64 n_2, i64 k_3) -> () {
  parallel range (begin_4, end_5 < n_2; grain 100i64) {
    simd for (i64 i_6 = begin_4; i_6 < end_5; i_6 += 1i64) {
      bool c_7 = lt_i64(i_6, k_3);
      if (c_7) {
      } else {
        i32 a_1[i_6] = 1i32;
      }
    }
  }
  return ();
}
)");
  EXPECT_FALSE(has(text, "< n_2; grain")) << text;
  EXPECT_FALSE(has(text, "if (")) << text;
}

// Rows that ask for their index run in lanes; the points around them do not.
TEST(Narrow, RowsRunInLanes) {
  const auto rows = [](std::string_view source) {
    return narrowed(std::string(R"(fn "f"(heap a_1, heap b_2, i64 n_3, i64 k_4) -> () {
  parallel range (begin_5, end_6 < n_3; grain 0i64) {
    simd for (i64 i_7 = begin_5; i_7 < end_6; i_7 += 1i64) {
      i64 row_8 = mul_i64(i_7, n_3);
      for (i64 j_9 = 0i64; j_9 < n_3; j_9 += 1i64) {
        i64 at_10 = add_i64(row_8, j_9);
        i64 before_11 = sub_i64(at_10, 1i64);
        i32 x_12 = )") +
                    std::string(source) +
                    R"(;
        bool c_13 = eq_i64(j_9, k_4);
        var i32 r_14 = 0i32;
        if (c_13) {
          r_14 = x_12;
        }
        i32 a_1[at_10] = r_14;
      }
    }
  }
  return ();
}
)");
  };
  const std::string independent = rows("b_2[before_11]");
  // Short rows have a loop of their own.
  EXPECT_TRUE(has(independent, "lt_i64(length_")) << independent;
  EXPECT_TRUE(has(independent, "simd for (i64 j_9")) << independent;
  EXPECT_FALSE(has(independent, "simd for (i64 i_7")) << independent;
  EXPECT_FALSE(has(independent, "grain 0i64")) << independent;
  // Each iteration reads what the one before has written.
  EXPECT_FALSE(has(rows("a_1[before_11]"), "simd for (i64 j_9"));
}

}  // namespace
}  // namespace skald::imp
