// SPDX-License-Identifier: Apache-2.0
// How many lanes, in registers of which size.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "imp/ir/visit.h"
#include "imp/simd/lanes_analysis.h"
#include "imp/text/parse.h"

namespace skald::imp {
namespace {

// A machine with registers of 256 and of 512 bits.
constexpr machine::VectorRegisters kBoth = {
    .bytes = 32, .count = 32, .wide_bytes = 64, .bit_masks = true, .long_operations = true};

// What is chosen for a loop over a_1, b_2 and c_3 up to n_4.
LaneChoice choice(std::string_view body, const machine::VectorRegisters& machine,
                  std::string_view end = "n_4") {
  const std::string text =
      "fn \"f\"(heap a_1, heap b_2, heap c_3, i64 n_4) -> () {\n"
      "simd for (i64 i_5 = 0i64; i_5 < " +
      std::string(end) + "; i_5 += 1i64) {\n" + std::string(body) + "}\nreturn ();\n}\n";
  const Result<Program> prog = parse(text);
  EXPECT_TRUE(static_cast<bool>(prog)) << text;
  if (!prog) return {};
  const For& loop = *as<For>(prog->functions[0].body.stmts[0]);
  return choose_lanes(loop, LanesAnalysis(loop), machine);
}

constexpr std::string_view kStreams = R"(
  f32 x_6 = a_1[i_5];
  f32 y_7 = b_2[i_5];
  f32 z_8 = add_f32(x_6, y_7);
  f32 c_3[i_5] = z_8;
)";
constexpr std::string_view kComputes = R"(
  f32 x_6 = a_1[i_5];
  f32 y_7 = sqrt_f32(x_6);
  f32 z_8 = div_f32(y_7, x_6);
  f32 c_3[i_5] = z_8;
)";
constexpr std::string_view kGathers = R"(
  i64 x_6 = a_1[i_5];
  f32 y_7 = b_2[x_6];
  f32 z_8 = sqrt_f32(y_7);
  f32 c_3[i_5] = z_8;
)";
constexpr std::string_view kDivides = R"(
  i64 x_6 = a_1[i_5];
  i64 y_7 = b_2[i_5];
  i64 z_8 = quot_i64(x_6, y_7);
  i64 c_3[i_5] = z_8;
)";

TEST(LanesChoice, WideRegistersAreForLoopsThatCompute) {
  EXPECT_EQ(choice(kStreams, kBoth).bytes, 32);
  EXPECT_EQ(choice(kComputes, kBoth).bytes, 64);
  EXPECT_STREQ(choice(kStreams, kBoth).why, "it mostly loads and stores");
  EXPECT_STREQ(choice(kComputes, kBoth).why, "it mostly computes");
}

// A sum of four elements, of which `near` says how far apart they are.
std::string neighbours(std::string_view near) {
  std::string body = "f32 s0_10 = a_1[i_5];\n";
  for (int k = 1; k < 4; ++k) {
    const std::string at = "at_2" + std::to_string(k), x = "x_3" + std::to_string(k);
    const std::string before = "s" + std::to_string(k - 1) + "_1" + std::to_string(k - 1);
    const std::string next = "s" + std::to_string(k) + "_1" + std::to_string(k);
    body += "i64 " + at + " = add_i64(i_5, " + std::string(near) + ");\n";
    body += "f32 " + x + " = a_1[" + at + "];\n";
    body += "f32 " + next + " = add_f32(" + before + ", " + x + ");\n";
  }
  return body + "f32 a_40 = mul_f32(s3_13, s3_13);\nf32 b_41 = mul_f32(a_40, s3_13);\n" +
         "f32 d_42 = add_f32(b_41, a_40);\nf32 c_3[i_5] = d_42;\n";
}

TEST(LanesChoice, NeighboursAreBroughtFromMemoryOnce) {
  EXPECT_EQ(choice(neighbours("1i64"), kBoth).bytes, 64);
  EXPECT_EQ(choice(neighbours("-1i64"), kBoth).bytes, 64);
  // Rows of another length than that of the loop's are apart.
  std::string rows = neighbours("n_4");
  for (int k = 2; k < 4; ++k) {
    const std::string at = "i64 at_2" + std::to_string(k);
    const size_t place = rows.find(at);
    const std::string row = "row_5" + std::to_string(k);
    rows.replace(rows.find("n_4", place), 3, row);
    rows.insert(place, "i64 " + row + " = mul_i64(n_4, " + std::to_string(k) + "i64);\n");
  }
  EXPECT_EQ(choice(rows, kBoth).bytes, 32);
}

// A byte made of three bytes of a pixel, by floats: what counts is how many bytes are loaded and
// stored, and components lie in the same lines.
TEST(LanesChoice, PixelsAreFewBytes) {
  std::string body = "i64 at_6 = mul_i64(i_5, 3i64);\nf32 sum_10 = 0f32;\n";
  for (int k = 1; k < 4; ++k) {
    const std::string n = std::to_string(k), sum = "sum_1" + n;
    body += "i64 at_2" + n + " = add_i64(at_6, " + n + "i64);\n";
    body += "u8 x_3" + n + " = a_1[at_2" + n + "];\n";
    body += "f32 y_4" + n + " = convert(u8, f32, x_3" + n + ");\n";
    body += "f32 " + sum + " = add_f32(sum_1" + std::to_string(k - 1) + ", y_4" + n + ");\n";
  }
  body += "u8 z_50 = convert(f32, u8, sum_13);\nu8 c_3[i_5] = z_50;\n";
  EXPECT_EQ(choice(body, kBoth).bytes, 64);
}

TEST(LanesChoice, ElementsAreMovedTogetherInWideRegisters) {
  constexpr std::string_view kText = R"(
fn "f"(heap a_1, heap b_2, i64 n_4) -> () {
  var i64 k_3 = 0i64;
  simd for (i64 i_5 = 0i64; i_5 < n_4; i_5 += 1i64) {
    i32 x_6 = a_1[i_5];
    bool c_7 = lt_i32(x_6, 7i32);
    collect(c_7, k_3, i32 b_2 = x_6);
  }
  simd for (i64 i_8 = 0i64; i_8 < n_4; i_8 += 1i64) {
    i32 x_9 = a_1[k_3];
    bool c_10 = lt_i32(x_9, 7i32);
    collect(c_10, k_3, i32 b_2 = x_9);
  }
  return ();
})";
  const Result<Program> prog = parse(kText);
  ASSERT_TRUE(static_cast<bool>(prog));
  const For& loop = *as<For>(prog->functions[0].body.stmts[1]);
  machine::VectorRegisters machine = kBoth;
  EXPECT_EQ(choose_lanes(loop, LanesAnalysis(loop), machine).bytes, 32);
  machine.packed_bytes = 1;
  EXPECT_EQ(choose_lanes(loop, LanesAnalysis(loop), machine).bytes, 64);
  // Which place the next one gets is known to all lanes together only.
  const For& reads = *as<For>(prog->functions[0].body.stmts[2]);
  EXPECT_EQ(LanesAnalysis(reads).obstacle(), "the place of collected elements has other uses");
}

TEST(LanesChoice, RowsThatAreUpdatedWhereTheyAreGetWideRegisters) {
  constexpr std::string_view kText = R"(
fn "f"(heap a_1, heap b_2, i64 row_3, i64 n_4, f32 x_5) -> () {
  simd for (i64 i_6 = 0i64; i_6 < n_4; i_6 += 1i64) {
    i64 at_7 = add_i64(row_3, i_6);
    f32 x_8 = a_1[at_7];
    f32 y_9 = b_2[i_6];
    f32 t_10 = mul_f32(x_5, y_9);
    f32 t_11 = sub_f32(x_8, t_10);
    f32 a_1[at_7] = t_11;
  }
  simd for (i64 i_12 = 0i64; i_12 < n_4; i_12 += 1i64) {
    f32 x_13 = a_1[i_12];
    f32 b_2[i_12] = x_13;
  }
  simd for (i64 i_14 = 0i64; i_14 < n_4; i_14 += 1i64) {
    i64 from_15 = b_2[row_3];
    i64 at_16 = add_i64(from_15, i_14);
    f32 x_17 = a_1[at_16];
    f32 a_1[at_16] = x_17;
  }
  return ();
})";
  const Result<Program> prog = parse(kText);
  ASSERT_TRUE(static_cast<bool>(prog));
  const auto update_in = [&](size_t stmt) {
    const For& loop = *as<For>(prog->functions[0].body.stmts[stmt]);
    return update_in_place(loop, LanesAnalysis(loop));
  };
  const RowStore update = update_in(0);
  ASSERT_NE(update.store, nullptr);
  EXPECT_EQ(update.index.size(), 1u);
  // It writes another array; or where it begins is known only inside.
  EXPECT_EQ(update_in(1).store, nullptr);
  EXPECT_EQ(update_in(2).store, nullptr);
  const For& loop = *as<For>(prog->functions[0].body.stmts[0]);
  EXPECT_EQ(choose_lanes(loop, LanesAnalysis(loop), kBoth).bytes, 32);
  EXPECT_EQ(choose_lanes(loop, LanesAnalysis(loop), kBoth, true).bytes, 64);
}

TEST(LanesChoice, LoopsThatBeginElsewhereInEachLaneGather) {
  machine::VectorRegisters machine = kBoth;
  machine.gathers = true;
  EXPECT_NE(choice(R"(
    i64 t_6 = sub_i64(i_5, 4i64);
    i64 begin_7 = max_i64(t_6, 0i64);
    i64 t_8 = add_i64(i_5, 5i64);
    i64 end_9 = min_i64(t_8, n_4);
    i64 length_10 = sub_i64(end_9, begin_7);
    var f32 sum_11 = 0f32;
    for (i64 j_12 = 0i64; j_12 < length_10; j_12 += 1i64) {
      i64 at_13 = add_i64(j_12, begin_7);
      f32 x_14 = a_1[at_13];
      f32 t_15 = add_f32(sum_11, x_14);
      sum_11 = t_15;
    }
    f32 length_16 = convert(i64, f32, length_10);
    f32 mean_17 = div_f32(sum_11, length_16);
    f32 c_3[i_5] = mean_17;
)",
                   machine)
                .lanes,
            0);
}

TEST(LanesChoice, LanesLookAtEachOtherOutsideOfBranches) {
  const auto obstacle = [](const std::string& end, bool branch) {
    const Result<Program> prog =
        parse(fmt::format(R"(
fn "f"(heap a_1, heap b_2, i64 n_4) -> () {{
  scratch s_3 = alloc(64i64);
  simd for (i64 i_5 = 0i64; i_5 < {}; i_5 += 1i64) {{
    i32 x_6 = a_1[i_5];
    bool c_7 = lt_i32(x_6, 7i32);
    {}
      i32 y_8 = earlier(s_3[i_5], x_6, 2i64, 0i32);
      i32 b_2[i_5] = y_8;
    {}
  }}
  return ();
}})",
                          end, branch ? "if (c_7) {" : "", branch ? "} else {}" : ""));
    EXPECT_TRUE(static_cast<bool>(prog));
    return LanesAnalysis(*as<For>(prog->functions[0].body.stmts[1])).obstacle();
  };
  EXPECT_EQ(obstacle("16i64", false), "");
  EXPECT_EQ(obstacle("16i64", true), "it looks at other iterations in a branch or loop");
  EXPECT_EQ(obstacle("n_4", false), "it looks at iterations of another loop");
}

TEST(LanesChoice, WorkThatIsDoneLaneByLaneNeedsNoWideRegisters) {
  EXPECT_NE(choice(kGathers, kBoth).bytes, 64);
}

TEST(LanesChoice, FewIterationsNeedNoWideRegisters) {
  EXPECT_EQ(choice(kComputes, kBoth, "8i64").bytes, 32);
  EXPECT_EQ(choice(kComputes, kBoth, "16i64").bytes, 64);
}

TEST(LanesChoice, AsManyLanesAsTheRegistersHave) {
  EXPECT_EQ(choice(kComputes, kBoth).lanes, 2 * choice(kComputes, {.bytes = 32}).lanes);
  EXPECT_EQ(choice(kComputes, {.bytes = 32}).bytes, 32);
}

TEST(LanesChoice, TheWidthCanBeAskedFor) {
  machine::VectorRegisters machine = kBoth;
  machine.always_wide = true;
  EXPECT_EQ(choice(kStreams, machine).bytes, 64);
}

TEST(LanesChoice, LongDivisionsPayWhereVectorsConvertThem) {
  EXPECT_GT(choice(kDivides, kBoth).lanes, 0);
  EXPECT_EQ(choice(kDivides, {.bytes = 16}).lanes, 0);
}

}  // namespace
}  // namespace skald::imp
