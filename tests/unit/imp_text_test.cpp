// SPDX-License-Identifier: Apache-2.0
// imp's printer, parser and verifier.
#include <gtest/gtest.h>

#include <set>

#include "imp/ir/visit.h"
#include "imp/text/constant.h"
#include "imp/text/parse.h"
#include "imp/text/print.h"
#include "imp/verify/verify.h"
#include "support/f16.h"

namespace skald::imp {
namespace {

// What only programs for a device have.
constexpr std::string_view kForDevice = R"(loc 1 "a.fut:1:2-3";
device fn "square"(i64 x_90) -> (i64) {
  i64 y_91 = mul_i64(x_90, x_90);
  return (y_91);
}
fn "on_device"(device xs_80, i64 n_81) -> (device) {
  device ys_82 = alloc(1024i64);
  launch (group_83 < n_81; thread_84 < 256i64; scratch 0i64; at_once 4i64) {
    shared s_85 = alloc(1024i64);
    i32 x_86 = xs_80[thread_84];
    i32 s_85[thread_84] = x_86;
    barrier;
    warp_meet;
    i32 before_92 = shuffle_up(x_86, 1i64);
    i32 after_93 = shuffle_down(before_92, 2i64);
    i32 across_94 = shuffle_xor(after_93, 4i64);
    i32 first_95 = shuffle_index(across_94, 0i64);
    bool odd_96 = lt_i32(first_95, x_86);
    u32 mask_97 = ballot(odd_96);
    i64 begins_98 = misaligned(i32 xs_80);
    private wide_99 = alloc(16i64);
    copy(wide_99 + 0i64, xs_80 + 0i64, 16i64) by i32;
    copy(ys_82 + 16i64, wide_99 + 0i64, 16i64) by i32;
    attempt (group_83) {
      call (i64 y_87) = "square"(group_83);
      bool fine_88 = lt_i64(y_87, 5i64);
      check(fine_88, "large") @1;
      i32 z_89 = s_85[0i64];
      i32 ys_82[thread_84] = z_89;
    }
  }
  return (ys_82);
}
)";

// Every node that programs for the cpu have, once.
constexpr std::string_view kForCpu = R"(loc 1 "a.fut:1:2-3";
loc 2 "a.fut:\"5\"" within "lookup" from 1;
fn "helper"(view a_1, i32 n_2) -> (i32, heap) {
  heap b_3 = alloc(8i64);
  i32 c_4 = a_1[0i64];
  return (c_4, b_3);
}
once fn "table"() -> (i32) {
  return (1i32);
}
entry "main" fn "main_1"(heap xs_5, i64 n_6, bool flag_7) -> (heap, f32) {
  i64 size_8 = mul_i64(n_6, 4i64);
  heap ys_9 = alloc(size_8);
  scratch tmp_10 = alloc(64i64);
  heap zs_11 = null;
  view vs_12 = tmp_10;
  block zs_11 = ys_9;
  block vs_12 = xs_5;
  free(zs_11);
  var f32 acc_13 = -0f32;
  copy(ys_9 + 0i64, xs_5 + 0i64, size_8);
  fill(f32 ys_9[0i64], n_6, nanf32);
  transpose(f32 ys_9[0i64], n_6, xs_5[n_6], 3i64, n_6, 4i64);
  var i64 place_141 = 0i64;
  collect(flag_7, place_141, f32 ys_9 = 1.5f32, i64 tmp_10 = n_6);
  collect again(flag_7, place_141, f32 ys_9 = 1.5f32);
  f32 before_142 = earlier(tmp_10[n_6], acc_13, 4i64, 1.5f32);
  i64 chunk_14 = chunk_size(n_6, 1024i64);
  i64 threads_140 = workers();
  parallel for (i_15 < n_6; grain 0i64) {
    f32 x_16 = xs_5[i_15];
    f32 y_17 = add_f32(x_16, 1.5f32);
    f32 z_18 = sqrt_f32(y_17);
    f32 w_19 = fma_f32(x_16, y_17, z_18);
    bool c_20 = lt_f32(x_16, w_19);
    f32 v_21 = select(c_20, w_19, inff32);
    i32 u_22 = bitcast(f32, i32, v_21);
    u8 t_23 = convert(i32, u8, u_22);
    i32 s_24 = convert(u8, i32, t_23);
    check(c_20, "x is ", x_16, " and s\n", s_24) @2;
    f32 ys_9[i_15] = v_21;
  }
  parallel range (b_25, e_26 < n_6; grain 16i64) {
    for (i64 i_27 = b_25; i_27 < e_26; i_27 += 2i64) {
      atomic add_i32(ys_9[i_27], 1i32);
      atomic (f32 ys_9[i_27] as old_28) {
        f32 new_29 = mul_f32(old_28, 2f32);
      } yield new_29;
      atomic (f32 ys_9[i_27] as old_190 with x_191 = 3f32) {
        f32 new_192 = mul_f32(old_190, x_191);
      } yield new_192;
      lock (tmp_10[i_27]) {
        f32 ys_9[i_27] = 0f32;
      }
      var f32 own_193 = 1f32;
      lock (tmp_10[i_27]) {
        f32 ys_9[i_27] = own_193;
      } meet (f32 own_193 with other_194) {
        f32 both_195 = add_f32(own_193, other_194);
        own_193 = both_195;
      }
    }
  }
  parallel chunks (b_30, e_31, k_32 < n_6; size chunk_14) {
    i64 d_33 = sub_i64(e_31, b_30);
    i64 ys_9[k_32] = d_33;
  }
  simd for (i64 k_39 = 0i64; k_39 < 16i64; k_39 += 1i64) {
    f32 ys_9[k_39] = 0f32;
  }
  short for (i64 k_40 = 0i64; k_40 < n_6; k_40 += 1i64) {
    f32 ys_9[k_40] = 0f32;
  }
  move(ys_9 + 0i64, ys_9 + 4i64, 8i64);
  stream(ys_9 + 0i64, xs_5 + 0i64, size_8);
  scan add_f32(ys_9[0i64], xs_5[1i64], size_8, ys_9);
  stream scan add_f32(ys_9[0i64], xs_5[1i64], size_8, ys_9);
  var bool go_34 = true;
  while (go_34) {
    go_34 = flag_7;
  }
  call (i32 r_35, heap q_36) = "helper"(xs_5, 7i32) @1;
  call beside flag_7 (i32 r_41, heap q_42) = "helper"(xs_5, 7i32) @1;
  check(flag_7, "no") @1;
  call (i32 r_43, heap q_44) = "helper"(xs_5, 8i32) @1;
  if (flag_7) {
    acc_13 = 1e+30f32;
  } else {
    block zs_11 = q_36;
  }
  f16 half_37 = 0.5f16;
  f64 value_38 = 0.1f64;
  return (ys_9, acc_13);
}
)";

TEST(ImpText, PrintsWhatItReads) {
  for (const std::string_view text : {kForCpu, kForDevice}) {
    const Result<Program> prog = parse(text);
    ASSERT_TRUE(prog) << prog.error();
    EXPECT_EQ(print(*prog), text);
    EXPECT_EQ(verify(*prog), std::vector<std::string>());
  }
}

// What a statement uses decides what a parallel loop hands to its body.
TEST(ImpText, EveryNameOfAStatementIsUsed) {
  const Result<Program> prog = parse(R"(fn "f"(view a_1, view c_2, i64 n_3, view d_4) -> () {
  scan add_i64(a_1[0i64], d_4[n_3], n_3, c_2);
  copy(d_4 + 0i64, a_1 + 0i64, n_3);
  return ();
}
)");
  ASSERT_TRUE(prog) << prog.error();
  std::vector<std::set<uint32_t>> used;
  for (const Stmt& stmt : prog->functions[0].body.stmts) {
    used.emplace_back();
    for_each_use(stmt, [&](const Operand& operand) {
      if (const Name* name = core::as_name(operand)) used.back().insert(name->id);
    });
  }
  EXPECT_EQ(used, (std::vector<std::set<uint32_t>>{{1, 2, 3, 4}, {1, 3, 4}}));
}

TEST(ImpText, ConstantsReadBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    for (Prim type : {Prim::kF16, Prim::kI16, Prim::kU16}) {
      const core::Const c{type, bits};
      EXPECT_EQ(constant_from_text(constant_text(c)), c) << constant_text(c);
    }
    for (uint64_t wide : {bits * 0x10001ull, bits * 0x1000100010001ull}) {
      for (Prim type : {Prim::kF64, Prim::kI64, Prim::kU64}) {
        const core::Const c{type, wide};
        EXPECT_EQ(constant_from_text(constant_text(c)), c) << constant_text(c);
      }
      const core::Const c{Prim::kF32, wide & 0xffffffff};
      EXPECT_EQ(constant_from_text(constant_text(c)), c) << constant_text(c);
    }
  }
}

TEST(ImpText, SaysWhereItCannotRead) {
  const Result<Program> prog = parse("fn \"f\"() -> () {\n  i32 x_1 = frob_i32(1i32);\n}");
  ASSERT_FALSE(prog);
  EXPECT_EQ(prog.error(), "2:27: no operation `frob_i32` with 1 operands");
  EXPECT_FALSE(parse("fn \"f\"() -> () { while (true) {"));
  EXPECT_FALSE(parse("fn \"f\"() -> () { return (); } \"trailing"));
  EXPECT_FALSE(parse("fn \"f\"() -> () { f32 x_4000000000 = 1f32; return (); }"));
  std::string deep = "fn \"f\"() -> () {";
  for (int i = 0; i < 100000; ++i) deep += "while (true) {";
  EXPECT_FALSE(parse(deep));
}

void expect_problem(std::string_view body, std::string_view problem) {
  const std::string text =
      fmt::format("fn \"f\"(heap xs_1, i64 n_2) -> () {{ {} return (); }}", body);
  const Result<Program> prog = parse(text);
  ASSERT_TRUE(prog) << prog.error();
  const std::vector<std::string> problems = verify(*prog);
  ASSERT_FALSE(problems.empty()) << body;
  EXPECT_NE(problems[0].find(problem), std::string::npos) << problems[0];
}

TEST(ImpVerify, FindsProblems) {
  expect_problem("i64 x_3 = add_i64(n_2, 1i32);", "the right operand is i32, not i64");
  expect_problem("i64 x_3 = add_i64(n_2, y_9);", "y_9 is not in scope");
  expect_problem("f32 x_3 = add_i64(n_2, n_2);", "gives i64, not f32");
  expect_problem("i64 x_3 = n_2; i64 x_3 = n_2;", "x_3 is bound twice");
  expect_problem("n_2 = 3i64;", "n_2 is not a variable");
  expect_problem("var i64 a_3 = 0i64; parallel for (i_4 < n_2; grain 0i64) { a_3 = i_4; }",
                 "assigned inside a parallel loop");
  expect_problem("heap b_3 = alloc(8i64); parallel for (i_4 < n_2; grain 0i64) { free(b_3); }",
                 "frees a block of the code around");
  expect_problem("free(xs_1);", "frees a parameter");
  expect_problem("scratch s_3 = alloc(8i64); heap b_4 = s_3;", "s_3 is not a heap block");
  expect_problem("call () = \"g\"();", "no such function");
  expect_problem("call () = \"f\"(xs_1);", "a wrong number of arguments");
  const std::string_view first = "bool c_3 = true; call beside c_3 () = \"f\"(xs_1, n_2);";
  expect_problem(first, "no call follows");
  expect_problem(fmt::format("{} i64 x_4 = n_2; call () = \"f\"(xs_1, n_2);", first),
                 "no call follows");
  expect_problem(fmt::format("bool d_5 = true; {} call beside d_5 () = \"f\"(xs_1, n_2);", first),
                 "calls in a row with different conditions");
  expect_problem("while (true) { i64 x_3 = n_2; } i64 y_4 = x_3;", "x_3 is not in scope");
  expect_problem("bool b_3 = add_bool(true, true);", "not defined on this type");
  expect_problem("barrier;", "`barrier` is not legal in code for the cpu");
  expect_problem(
      "launch (g_3 < n_2; t_4 < 64i64; scratch 0i64) { attempt (g_3) { attempt (g_3) { barrier; } "
      "} }",
      "a barrier inside an attempt");
  expect_problem("launch (g_3 < n_2; t_4 < 48i64; scratch 0i64) { warp_meet; }",
                 "a group that has no whole warps");
  expect_problem(
      "device d_6 = alloc(64i64); launch (g_3 < n_2; t_4 < 64i64; scratch 0i64) { private p_5 = "
      "alloc(32i64); copy(p_5 + 0i64, d_6 + 0i64, 32i64) by i32; } free(d_6);",
      "a wide copy of other than 16 bytes");
  expect_problem(
      "launch (g_3 < n_2; t_4 < 48i64; scratch 0i64) { i64 x_5 = shuffle_up(t_4, 1i64); }",
      "a group that has no whole warps");
  expect_problem(
      "launch (g_3 < n_2; t_4 < 64i64; scratch 0i64) { i32 x_5 = shuffle_up(t_4, 1i64); }",
      "the value");
}

TEST(ImpVerify, OrderedOnceInAChunk) {
  const auto chunks = [](std::string_view body) {
    return fmt::format(
        "parallel chunks (b_3, e_4, k_5 < n_2; size 8i64) {{ bool c_6 = my_turn(); bool d_7 = "
        "true; "
        "var bool v_8 = c_6; {} }}",
        body);
  };
  const std::string_view twice = "`ordered` twice";
  expect_problem("ordered { }", twice);
  expect_problem(chunks("ordered { } ordered { }"), twice);
  expect_problem(chunks("if (c_6) { ordered { } } ordered { }"), twice);
  expect_problem(chunks("if (c_6) { ordered { } } if (c_6) { ordered { } }"), twice);
  expect_problem(chunks("if (c_6) { ordered { } } else { } if (d_7) { } else { ordered { } }"),
                 twice);
  expect_problem(chunks("if (v_8) { ordered { } } else { } if (v_8) { } else { ordered { } }"),
                 twice);
  // Only a chunk that runs alone may hand on later.
  expect_problem(chunks("if (c_6) { ordered { } } else { } if (c_6) { } else { ordered { } }"),
                 twice);
  expect_problem(chunks("if (d_7) { } else { ordered { } } if (d_7) { ordered { } }"), twice);
  expect_problem(chunks("heap m_10 = alloc(8i64) @0; ordered { }"), "lives across `ordered`");
  const Result<Program> prog = parse(fmt::format(
      "fn \"f\"(i64 n_2) -> () {{ {} return (); }}",
      chunks("if (c_6) { } else { ordered { } } i64 x_9 = b_3; if (c_6) { ordered { } }")));
  ASSERT_TRUE(prog) << prog.error();
  EXPECT_EQ(verify(*prog), std::vector<std::string>());
}

}  // namespace
}  // namespace skald::imp
