// SPDX-License-Identifier: Apache-2.0
// The interpreter of imp: what programs compute, and what it finds wrong with programs.
#include <gtest/gtest.h>

#include "core/interp/code/array.h"
#include "core/interp/format.h"
#include "imp/interp/interp.h"
#include "imp/text/parse.h"
#include "imp/verify/verify.h"

namespace skald::imp {
namespace {

core::ArrayValue number(int64_t n) {
  core::ArrayValue value{Prim::kI64, {}, std::make_shared<std::vector<std::byte>>(8)};
  core::interp::store_bits(value.data->data(), 8, static_cast<uint64_t>(n));
  return value;
}

// The results of "main", which are all i64, separated by blanks; "error: …" of a failure; "bug: …"
// of an internal error, from the statement on.
std::string run(const std::string& text, const std::vector<int64_t>& args, int results = 1) {
  Result<Program> prog = parse(text);
  if (!prog) return "no program: " + prog.error();
  const std::vector<std::string> problems = verify(*prog);
  if (!problems.empty()) return "not well formed: " + problems[0];
  std::vector<core::ArrayValue> values;
  for (const int64_t arg : args) values.push_back(number(arg));
  const std::vector<ResultType> types(static_cast<size_t>(results), {Prim::kI64, 0});
  try {
    const auto outcome = interpret(*prog, "main", values, types);
    if (!outcome) return "error: " + outcome.error().message;
    std::string shown;
    for (const core::ArrayValue& value : *outcome)
      shown +=
          (shown.empty() ? "" : " ") +
          core::interp::format_scalar(Prim::kI64, core::interp::load_bits(value.data->data(), 8));
    return shown;
  } catch (const InternalError& bug) {
    const std::string what = bug.what();
    return "bug: " + what.substr(std::min(what.size(), what.find("imp") + 3));
  }
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string main_with(const std::string& body, const std::string& result) {
  return "entry \"main\" fn \"f\"(i64 n_1) -> (i64) {\n" + body + "return (" + result + ");\n}\n";
}

TEST(ImpInterp, LoopsAndVariables) {
  EXPECT_EQ(run(main_with(R"(
  var i64 sum_2 = 0i64;
  for (i64 i_3 = 0i64; i_3 < n_1; i_3 += 1i64) {
    i64 s_4 = add_i64(sum_2, i_3);
    sum_2 = s_4;
  })",
                          "sum_2"),
                {10}),
            "45");
}

TEST(ImpInterp, RangesCoverEverythingOnce) {
  EXPECT_EQ(run(main_with(R"(
  i64 bytes_2 = mul_i64(n_1, 8i64);
  heap a_3 = alloc(bytes_2);
  fill(i64 a_3[0i64], n_1, 0i64);
  parallel range (b_4, e_5 < n_1; grain -4i64) {
    for (i64 i_6 = b_4; i_6 < e_5; i_6 += 1i64) {
      i64 x_7 = a_3[i_6];
      i64 y_8 = add_i64(x_7, i_6);
      i64 a_3[i_6] = y_8;
    }
  }
  var i64 sum_9 = 0i64;
  for (i64 i_10 = 0i64; i_10 < n_1; i_10 += 1i64) {
    i64 x_11 = a_3[i_10];
    i64 s_12 = add_i64(sum_9, x_11);
    sum_9 = s_12;
  })",
                          "sum_9"),
                {29}),
            "406");
}

TEST(ImpInterp, ChecksFailWithTheirMessage) {
  const std::string text = main_with(R"(
  heap a_2 = alloc(8i64);
  bool c_3 = lt_i64(n_1, 3i64);
  check(c_3, "got ", n_1);)",
                                     "n_1");
  EXPECT_EQ(run(text, {2}), "2");
  EXPECT_EQ(run(text, {5}), "error: got 5");
}

TEST(ImpInterp, RecursionEnds) {
  const std::string text = R"(fn "g"(i64 n_1) -> (i64) {
  call (i64 m_2) = "g"(n_1);
  return (m_2);
}
entry "main" fn "f"(i64 n_3) -> (i64) {
  call (i64 m_4) = "g"(n_3);
  return (m_4);
}
)";
  EXPECT_EQ(run(text, {1}), "error: Recursion too deep: the stack is used up.");
}

TEST(ImpInterp, AccessesOutsideAreFound) {
  const std::string text = main_with(R"(
  heap a_2 = alloc(80i64);
  fill(i64 a_2[0i64], 10i64, 7i64);
  i64 x_3 = a_2[n_1];)",
                                     "x_3");
  EXPECT_EQ(run(text, {9}), "7");
  EXPECT_TRUE(has(run(text, {10}), "a_2[n_1]")) << run(text, {10});
  EXPECT_TRUE(has(run(text, {-1}), "element -1 of 8 bytes is not in a block of 80 bytes"));
}

TEST(ImpInterp, BlocksThatAreGoneAreFound) {
  EXPECT_TRUE(has(run(main_with(R"(
  heap a_2 = alloc(80i64);
  view b_3 = a_2;
  free(a_2);
  i64 x_4 = b_3[n_1];)",
                                "x_4"),
                      {1}),
                  "uses a block that is gone"));
  EXPECT_TRUE(has(run(main_with(R"(
  heap a_2 = alloc(80i64);
  free(a_2);
  i64 x_4 = a_2[n_1];)",
                                "x_4"),
                      {1}),
                  "holds no block"));
}

TEST(ImpInterp, CopiesThatOverlapAreFound) {
  const std::string copy = R"(
  heap a_2 = alloc(80i64);
  fill(i64 a_2[0i64], 10i64, 7i64);
  )";
  const std::string rest = "(a_2 + 0i64, a_2 + 8i64, 72i64);\n  i64 x_3 = a_2[n_1];";
  EXPECT_TRUE(has(run(main_with(copy + "copy" + rest, "x_3"), {1}), "8 bytes apart"));
  EXPECT_EQ(run(main_with(copy + "move" + rest, "x_3"), {1}), "7");
}

// A launch of two groups of four threads, and the sum of the eight numbers in out_3.
std::string launched(const std::string& body) {
  return main_with(R"(
  device in_2 = alloc(64i64);
  device out_3 = alloc(64i64);
  for (i64 i_4 = 0i64; i_4 < 8i64; i_4 += 1i64) {
    i64 in_2[i_4] = i_4;
    i64 out_3[i_4] = 0i64;
  }
  launch (g_5 < 2i64; t_6 < 4i64; scratch 0i64) {
    i64 first_7 = mul_i64(g_5, 4i64);
    i64 at_8 = add_i64(first_7, t_6);
)" + body + R"(
  }
  var i64 sum_50 = 0i64;
  for (i64 i_51 = 0i64; i_51 < 8i64; i_51 += 1i64) {
    i64 x_52 = out_3[i_51];
    i64 t_53 = mul_i64(sum_50, 10i64);
    i64 s_54 = add_i64(t_53, x_52);
    sum_50 = s_54;
  })",
                   "sum_50");
}

TEST(ImpInterp, ThreadsMeetAtBarriers) {
  EXPECT_EQ(run(launched(R"(
    shared s_10 = alloc(32i64);
    i64 x_11 = in_2[at_8];
    i64 s_10[t_6] = x_11;
    barrier;
    i64 other_12 = sub_i64(3i64, t_6);
    i64 y_13 = s_10[other_12];
    i64 out_3[at_8] = y_13;)"),
                {0}),
            "32107654");
}

// What the lanes 0, 3 and 31 of the second warp get, one after the other in a number.
TEST(ImpInterp, LanesShuffle) {
  const auto shuffled = [](std::string_view shuffle) {
    return run(main_with(fmt::format(R"(
  device out_2 = alloc(512i64);
  launch (g_3 < 1i64; t_4 < 64i64; scratch 0i64) {{
    i64 once_5 = shuffle_index(t_4, 0i64);
    i64 other_6 = {};
    i64 both_7 = shuffle_down(other_6, 0i64);
    i64 out_2[t_4] = both_7;
  }}
  i64 a_8 = out_2[32i64];
  i64 b_9 = out_2[35i64];
  i64 c_10 = out_2[63i64];
  i64 d_11 = mul_i64(a_8, 10000i64);
  i64 e_12 = mul_i64(b_9, 100i64);
  i64 f_13 = add_i64(d_11, e_12);
  i64 g_14 = add_i64(f_13, c_10);)",
                                     shuffle),
                         "g_14"),
               {0});
  };
  EXPECT_EQ(shuffled("shuffle_up(t_4, 2i64)"), "323361");
  EXPECT_EQ(shuffled("shuffle_down(t_4, 2i64)"), "343763");
  EXPECT_EQ(shuffled("shuffle_xor(t_4, 3i64)"), "353260");
  EXPECT_EQ(shuffled("shuffle_index(t_4, 5i64)"), "373737");
  EXPECT_EQ(shuffled("shuffle_index(once_5, 5i64)"), "323232");
}

TEST(ImpInterp, LanesHoldBallots) {
  EXPECT_EQ(run(main_with(R"(
  device out_2 = alloc(256i64);
  launch (g_3 < 1i64; t_4 < 64i64; scratch 0i64) {
    bool c_5 = lt_i64(t_4, 35i64);
    u32 mask_6 = ballot(c_5);
    u32 out_2[t_4] = mask_6;
  }
  u32 a_7 = out_2[40i64];
  i64 b_8 = convert(u32, i64, a_7);)",
                          "b_8"),
                {0}),
            "7");
}

TEST(ImpInterp, DifferentBarriersAreFound) {
  EXPECT_TRUE(has(run(launched(R"(
    bool c_10 = lt_i64(t_6, 2i64);
    if (c_10) {
      barrier;
    })"),
                      {0}),
                  "others do not come to"));
}

TEST(ImpInterp, ThreadsThatDoNotMeetAreFound) {
  const auto met = [](const std::string& end) {
    return run(main_with(R"(
  launch (g_5 < 1i64; t_6 < 32i64; scratch 0i64) {
    for (i64 i_7 = 0i64; i_7 < )" +
                             end + R"(; i_7 += 1i64) {
      warp_meet;
    }
  })",
                         "n_1"),
               {5});
  };
  EXPECT_EQ(met("n_1"), "5");
  EXPECT_TRUE(has(met("t_6"), "others do not come to"));
}

TEST(ImpInterp, TheLowestAttemptWins) {
  EXPECT_EQ(run(launched(R"(
    i64 position_10 = sub_i64(7i64, at_8);
    attempt (position_10) {
      scratch s_12 = alloc(8i64);
      bool c_11 = lt_i64(at_8, 2i64);
      check(c_11, "thread ", at_8);
    })"),
                {0}),
            "error: thread 7");
}

TEST(ImpInterp, TheDeviceDoesNotSeeTheHost) {
  const std::string text = main_with(R"(
  heap a_2 = alloc(64i64);
  launch (g_5 < 1i64; t_6 < 4i64; scratch 0i64) {
    i64 a_2[t_6] = t_6;
  })",
                                     "n_1");
  EXPECT_TRUE(has(run(text, {0}), "a_2 is memory of the host"));
}

}  // namespace
}  // namespace skald::imp
