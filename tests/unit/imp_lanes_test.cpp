// SPDX-License-Identifier: Apache-2.0
// The marks of loops in lanes (imp/ir/lanes.h): as text, and what the verifier says about them.
#include <gtest/gtest.h>

#include "imp/text/parse.h"
#include "imp/text/print.h"
#include "imp/verify/verify.h"

namespace skald::imp {
namespace {

// Every mark at least once.
constexpr const char* kMarked =
    R"(fn "f"(heap xs_1, heap ys_2, heap is_3, i64 n_4, bool on_5) -> () {
  simd for (i64 i_6 = 0i64; i_6 < n_4; i_6 += 1i64) lanes (16, again 4, masked 4; registers 32; masks 4; inexact; stage 2; align 12 by 8; fetch; stream ys_2; borders left c_8, right d_9) {
    linear i64 at_7 = add_i64(i_6, n_4);
    border bool c_8 = lt_i64(i_6, n_4);
    border bool d_9 = lt_i64(n_4, i_6);
    vector f32 x_10 = xs_1[at_7] contiguous;
    vector f32 y_11 = xs_1[at_7] strided;
    vector i64 k_12 = is_3[i_6] contiguous;
    vector f32 u_13 = xs_1[k_12] gather;
    vector f32 v_14 = xs_1[k_12] shared;
    vector f32 w_15 = xs_1[k_12] each;
    scratch own_16 = alloc(32i64);
    vector var f32 r_17 = x_10;
    f32 own_16[n_4] = r_17 own;
    f32 ys_2[i_6] = r_17 contiguous;
    vector f32 z_18 = own_16[k_12] own each;
    copy(own_16 + 0i64, xs_1 + 0i64, 32i64) by f32;
    vector bool e_19 = lt_f32(y_11, z_18);
    vector var bool ok_20 = e_19;
    mask if (e_19) any {
      r_17 = u_13;
    } else any {
      r_17 = v_14;
    }
    mask for (i64 j_21 = 0i64; j_21 < n_4; j_21 += 1i64) until ok_20 alone 4, 1 {
      taken if (ok_20) {
        ok_20 = e_19;
      }
    }
    mask for (i64 j_22 = k_12; j_22 < n_4; j_22 += 1i64) vector {
      r_17 = w_15;
    }
    mask while (ok_20) alone 2, 1 {
      ok_20 = false;
    }
  }
  simd for (i64 i_23 = 0i64; i_23 < n_4; i_23 += 1i64) beside 8 {
    choose if (on_5) {
    }
  }
  for (i64 i_24 = 0i64; i_24 < n_4; i_24 += 1i64) ahead 4 {
  }
  simd for (i64 i_25 = 0i64; i_25 < 16i64; i_25 += 1i64) lanes (once 16; registers 16; masks 4) {
  }
  return ();
}
)";

TEST(ImpLanes, EveryMarkIsPrintedAndRead) {
  const Result<Program> prog = parse(kMarked);
  ASSERT_TRUE(prog) << prog.error();
  EXPECT_EQ(print(*prog), kMarked);
  const std::vector<std::string> problems = verify(*prog);
  EXPECT_TRUE(problems.empty()) << problems[0];
}

// The first problem of a loop in lanes with this body, without its place.
std::string problem(const std::string& body) {
  const Result<Program> prog = parse(
      "fn \"f\"(heap xs_1, heap ys_2, i64 n_3) -> () {\n"
      "simd for (i64 i_4 = 0i64; i_4 < n_3; i_4 += 1i64) lanes (8; registers 16; masks 4) {\n" +
      body + "}\nreturn ();\n}");
  if (!prog) return prog.error();
  const std::vector<std::string> problems = verify(*prog);
  return problems.empty() ? "" : problems[0].substr(problems[0].rfind(": ") + 2);
}

TEST(ImpLanes, TheVerifierKnowsTheRules) {
  EXPECT_EQ(problem("vector f32 x_5 = xs_1[i_4] contiguous; f32 ys_2[i_4] = x_5 contiguous;"), "");
  EXPECT_EQ(problem("i64 at_5 = add_i64(i_4, 1i64);"),
            "lanes differ in what they are said to share");
  EXPECT_EQ(problem("f32 x_5 = xs_1[i_4];"), "lanes differ in what they are said to share");
  EXPECT_EQ(problem("vector f32 x_5 = xs_1[n_3] contiguous;"), "the index is not linear");
  EXPECT_EQ(problem("vector f32 x_5 = xs_1[i_4] gather;"), "the index is no vector");
  EXPECT_EQ(problem("vector f32 x_5 = xs_1[n_3] own;"),
            "an access that takes an array for what it is not");
  EXPECT_EQ(problem("f32 ys_2[i_4] = 0f32;"), "lanes differ in what they are said to share");
  EXPECT_EQ(problem("border bool c_5 = lt_i64(i_4, n_3);"), "a border that its loop does not know");
  EXPECT_EQ(problem("vector bool c_5 = xs_1[i_4] contiguous; if (c_5) {}"),
            "lanes differ in a branch that they take together");
  EXPECT_EQ(problem("vector bool c_5 = xs_1[i_4] contiguous; while (c_5) {}"),
            "lanes differ in a loop that they leave together");
  EXPECT_EQ(problem("simd for (i64 j_5 = 0i64; j_5 < n_3; j_5 += 1i64) lanes (8; registers 16) {}"),
            "a loop in lanes inside another one");
}

TEST(ImpLanes, MarksBelongIntoLoopsInLanes) {
  const auto problem_of = [](const char* stmt) {
    const Result<Program> prog =
        parse(std::string("fn \"f\"(heap xs_1, i64 n_2) -> () {\n") + stmt + "\nreturn ();\n}");
    if (!prog) return prog.error();
    const std::vector<std::string> problems = verify(*prog);
    return problems.empty() ? std::string() : problems[0].substr(problems[0].rfind(": ") + 2);
  };
  const std::string outside = "a mark of lanes outside of a loop in lanes";
  EXPECT_EQ(problem_of("vector i64 x_3 = add_i64(n_2, n_2);"), outside);
  EXPECT_EQ(problem_of("vector i64 x_3 = xs_1[n_2] each;"), outside);
  EXPECT_EQ(problem_of("i64 xs_1[n_2] = n_2 each;"), outside);
  EXPECT_EQ(problem_of("mask if (true) {}"), outside);
  EXPECT_EQ(problem_of("mask while (false) {}"), outside);
  EXPECT_EQ(problem_of("for (i64 i_3 = 0i64; i_3 < n_2; i_3 += 1i64) lanes (8) {}"),
            "lanes of a loop that may not have any");
}

}  // namespace
}  // namespace skald::imp
