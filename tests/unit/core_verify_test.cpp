// SPDX-License-Identifier: Apache-2.0
// The verifier: programs that must be accepted, and for each rule one that must not.
#include <gtest/gtest.h>

#include "core/text/parse.h"
#include "core/verify/verify.h"

namespace skald::core {
namespace {

std::vector<std::string> problems(const std::string& text) {
  source::SourceMap sources;
  auto prog = parse(sources.add("test.core", text), sources);
  if (!prog)
    return {
        fmt::format("syntax at byte {}: {}", prog.error().labels[0].span.begin, prog.error().what)};
  return verify(*prog);
}

// The problems of a function with these statements; xs, ys and the matrix are at hand.
std::vector<std::string> of_stmts(const std::string& stmts) {
  return problems(
      "fun main (n_1 : i64, xs_2 : *[n_1]i32, ys_3 : [n_1]i32, zs_4 : *[n_1][3]f32, c_5 : bool) : "
      "{} =\n" +
      stmts + "\nin {}");
}

void expect_fine(const std::string& stmts) {
  EXPECT_EQ(of_stmts(stmts), std::vector<std::string>{}) << stmts;
}
void expect_problem(const std::string& stmts, const std::string& words) {
  const auto found = of_stmts(stmts);
  ASSERT_FALSE(found.empty()) << "accepted: " << stmts;
  EXPECT_NE(found[0].find(words), std::string::npos) << found[0];
}

TEST(Verify, Names) {
  expect_problem("let {a_9 : i64} = b_8", "b_8 is not in scope");
  expect_problem("let {a_9 : i64} = n_1\nlet {a_9 : i64} = n_1", "a_9 is bound a second time");
  expect_problem("let {a_9 : i64} = if c_5 then let {b_8 : i64} = n_1 in {b_8} else {b_8}",
                 "b_8 is not in scope");
  expect_problem("let {a_9 : [m_8]i32} = xs_2", "m_8 is not in scope");
  expect_problem("let {a_9 : i64} = call f()", "there is no function f");
  EXPECT_EQ(problems("fun f () : {} = {} fun f () : {} = {}"),
            std::vector<std::string>{"f: a second function of this name"});
}

TEST(Verify, Scalars) {
  expect_fine("let {a_9 : i64} = add_i64(n_1, 1i64)\nlet {b_8 : f32} = convert_i64_f32(a_9)");
  expect_problem("let {a_9 : i64} = add_i64(n_1, 1i32)", "has type i32, expected i64");
  expect_problem("let {a_9 : bool} = add_bool(c_5, c_5)", "not defined on bool");
  expect_problem("let {a_9 : i32} = add_i64(n_1, n_1)", "has type i32, expected i64");
  expect_problem("let {a_9 : i32, b_8 : i32} = add_i32(1i32, 2i32)", "2 instead of 1");
  expect_problem("let {a_9 : f32} = bitcast_i64_f32(n_1)", "different widths");
  expect_fine("let {a_9 : f32} = ldexp_f32(1f32, 3i32)");
  expect_fine("let {a_9 : i32} = clz_u64(0u64)");
  expect_problem("let {a_9 : [n_1]i32} = select(c_5, ys_3, ys_3)", "select between");
}

TEST(Verify, Arrays) {
  expect_fine("let {a_9 : i32} = ys_3[0i64]\nlet {b_8 : [2][3]f32} = zs_4[0i64 for 2i64]");
  expect_problem("let {a_9 : i32} = ys_3[0i64, 1i64]", "2 dimensions of an array of rank 1");
  expect_problem("let {a_9 : i32} = ys_3[0i32]", "the index 0i32 has type i32");
  expect_problem("let {a_9 : [n_1][3]f32} = zs_4 with [0i64] = ys_3", "the value ys_3");
  expect_fine("let {a_9 : [3][n_1]f32} = rearrange((1, 0), zs_4)");
  expect_problem("let {a_9 : [3][n_1]f32} = rearrange((1, 1), zs_4)", "does not permute");
  expect_problem("let {a_9 : [n_1]f32} = rearrange((1), zs_4)", "does not permute");
  expect_fine("let {m_9 : i64} = mul_i64(n_1, 3i64)\nlet {a_8 : [m_9]f32} = reshape([m_9], zs_4)");
  expect_problem(
      "let {a_9 : [4]i32} = iota_i32(4i64, 0i32, 1i32)\n"
      "let {b_8 : [5]i32} = reshape([5], a_9)",
      "4 elements become 5");
  expect_problem("let {a_9 : [2]i32} = array(i32, {1i32})", "has type [2]i32, expected [1]i32");
  expect_fine("let {a_9 : [0][n_1]i32} = array([n_1]i32, {})");
  expect_fine(
      "let {m_9 : i64} = add_i64(n_1, n_1)\n"
      "let {a_8 : [m_9]i32} = concat(0, m_9, {xs_2, ys_3})");
  expect_problem("let {a_9 : [n_1]i32} = concat(0, n_1, {xs_2, zs_4})", "does not fit");
  expect_fine("let {a_9 : [7][n_1]i32} = replicate([7], ys_3)");
}

TEST(Verify, SizesAreComparedAsOperands) {
  expect_fine("let {m_9 : i64} = n_1\nlet {a_8 : [m_9]i32} = ys_3");
  expect_problem("let {m_9 : i64} = add_i64(n_1, 0i64)\nlet {a_8 : [m_9]i32} = ys_3",
                 "has type [m_9]i32, expected [n_1]i32");
  expect_fine("let {m_9 : i64} = add_i64(n_1, 0i64)\nlet {a_8 : [m_9]i32} = reshape([m_9], ys_3)");
}

TEST(Verify, Branches) {
  expect_fine(R"(let {m_9 : i64, a_8 : [m_9]i32} =
    if c_5 then {n_1, ys_3}
    else let {b_7 : [2]i32} = iota_i32(2i64, 0i32, 1i32) in {2i64, b_7})");
  expect_problem(R"(let {m_9 : i64, a_8 : [m_9]i32} =
    if c_5 then {2i64, ys_3} else {n_1, ys_3})",
                 "results of the first branch: ys_3 has type [n_1]i32");
  expect_problem("let {a_9 : i32} = if c_5 then {} else {1i32}", "0 instead of 1");
  expect_problem("let {a_9 : i32} = if n_1 then {1i32} else {1i32}", "the condition n_1");
}

TEST(Verify, Loops) {
  expect_fine(R"(let {k_9 : i64, a_8 : [k_9]i32} =
    loop {m_7 : i64 = n_1, b_6 : [m_7]i32 = ys_3} for i_10 : i32 < 10i32 do
      let {p_11 : i64} = add_i64(m_7, m_7)
      let {d_12 : [p_11]i32} = concat(0, p_11, {b_6, b_6})
      in {p_11, d_12})");
  expect_problem(R"(let {a_8 : [n_1]i32} = loop {b_6 : [n_1]i32 = ys_3} for i_10 : i32 < 10i32 do
      let {d_12 : [4]i32} = iota_i32(4i64, 0i32, 1i32)
      in {d_12})",
                 "results of the body: d_12 has type [4]i32");
  expect_problem("let {a_9 : i32} = loop {b_8 : i32 = 0i64} while c_5 do {b_8}", "initial values");
  expect_problem("let {a_9 : i32} = loop {b_8 : i32 = 0i32} while c_5 do {b_8}",
                 "not a parameter of the loop");
  expect_problem("let {} = loop {} for i_9 : f32 < 1f32 do {}", "counts in type f32");
}

TEST(Verify, Functions) {
  EXPECT_EQ(problems(R"(
    fun f (n_1 : i64, xs_2 : [n_1]i32) : {m_3 : i64, [m_3]i32, [n_1]i32} = {n_1, xs_2, xs_2}
    fun main (k_4 : i64, ys_5 : [k_4]i32) : {i64} =
      let {l_6 : i64, zs_7 : [l_6]i32, as_8 : [k_4]i32} = call f(k_4, ys_5)
      in {l_6})"),
            std::vector<std::string>{});
  const auto found = problems(R"(
    fun f (n_1 : i64, xs_2 : [n_1]i32) : {i64} = {n_1}
    fun main (k_4 : i64, ys_5 : [k_4]i32) : {i64} =
      let {l_6 : i64} = call f(3i64, ys_5)
      in {l_6})");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0],
            "main: let {l_6 : i64} = call f(3i64, ys_5): arguments: ys_5 has type [k_4]i32, "
            "expected [n_1]i32");
  EXPECT_EQ(problems("entry \"f\" (sizes 0, \"i32\") : (sizes 0) fun f () : {} = {}").size(), 1u);
}

TEST(Verify, Checks) {
  expect_fine(
      "let {t_9 : token} = assert(c_5, \"no \", n_1)\n"
      "let {a_8 : i32} = after {t_9} ys_3[0i64]");
  expect_problem("let {a_8 : i32} = after {n_1} ys_3[0i64]", "the token n_1");
  expect_problem("let {t_9 : bool} = assert(c_5)", "has type bool, expected token");
}

const char kAdd[] = "{0i32} \\{p_20 : i32, q_21 : i32} : {i32} -> {p_20}";

TEST(Verify, Soacs) {
  expect_fine(R"(let {a_9 : [n_1]i32} = map(n_1, {ys_3, zs_4},
    \{y_8 : i32, z_7 : [3]f32} : {i32} -> {y_8}))");
  expect_problem("let {a_9 : [n_1]i32} = map(n_1, {ys_3}, \\{y_8 : i64} : {i32} -> {0i32})",
                 "parameters of the function: number 0 has type i64, expected i32");
  expect_problem("let {a_9 : [3]i32} = map(3i64, {ys_3}, \\{y_8 : i32} : {i32} -> {y_8})",
                 "not 3i64 rows");
  expect_problem("let {a_9 : [n_1]i64} = map(n_1, {ys_3}, \\{y_8 : i32} : {i64} -> {y_8})",
                 "results: y_8 has type i32, expected i64");
  // The length of a row must mean something outside.
  expect_problem(R"(let {a_9 : [n_1][n_1]i64} = map(n_1, {ys_3}, \{y_8 : i32} : {[m_7]i64} ->
    let {m_7 : i64} = convert_i32_i64(y_8)
    let {r_6 : [m_7]i64} = iota_i64(m_7, 0i64, 1i64)
    in {r_6}))",
                 "m_7 is not in scope");
  expect_fine(std::string("let {s_9 : i32, a_8 : [n_1]i32} = soac(n_1, {ys_3}, "
                          "\\{y_7 : i32} : {i32, i32} -> {y_7, y_7}, reduce ") +
              kAdd + ")");
  expect_problem(std::string("let {s_9 : i32} = soac(n_1, {ys_3}, "
                             "\\{y_7 : i32} : {i64} -> {n_1}, reduce ") +
                     kAdd + ")",
                 "parameters of the reduction operator");
}

TEST(Verify, HistScatterPartitionFlatmap) {
  expect_fine(std::string("let {h_9 : [n_1]i32} = hist(n_1, {ys_3}, to [n_1] {xs_2} with ") + kAdd +
              ", \\{y_8 : i32} : {i64, i32} -> {0i64, y_8})");
  expect_problem(std::string("let {h_9 : [n_1]i32} = hist(n_1, {ys_3}, to [4] {xs_2} with ") +
                     kAdd + ", \\{y_8 : i32} : {i64, i32} -> {0i64, y_8})",
                 "the destination xs_2 has type [n_1]i32");
  expect_fine(
      "let {h_9 : [n_1][3]f32} = scatter(n_1, {ys_3}, to [n_1][3] zs_4, "
      "\\{y_8 : i32} : {i64, i64, f32} -> {0i64, 0i64, 1f32})");
  expect_problem(
      "let {h_9 : [n_1][3]f32} = scatter(n_1, {ys_3}, to [n_1] zs_4, "
      "\\{y_8 : i32} : {i64, i64, f32} -> {0i64, 0i64, 1f32})",
      "indices and values");
  expect_fine(R"(let {a_9 : i64, b_10 : i64, ls_11 : [a_9]i32, rs_12 : [b_10]i32} =
    partition(n_1, 2, {ys_3}, \{y_8 : i32} : {i64, i32} -> {0i64, y_8}))");
  expect_problem(R"(let {a_9 : i64, ls_11 : [n_1]i32} =
    partition(n_1, 1, {ys_3}, \{y_8 : i32} : {i64, i32} -> {0i64, y_8}))",
                 "expected [a_9]i32");
  expect_fine(R"(
    let {m_9 : i64, l_10 : [n_1]i64, f_11 : [m_9]bool, o_12 : [n_1]i64, d_13 : [m_9]i32, r_14 : [n_1]i32} =
      flatmap(n_1, 1, {ys_3}, \{y_8 : i32} : {k_7 : i64, [k_7]i32, i32} ->
        let {k_15 : i64} = convert_i32_i64(y_8)
        let {d_16 : [k_15]i32} = iota_i32(k_15, 0i32, 1i32)
        in {k_15, d_16, y_8}))");
}

TEST(Verify, Accumulators) {
  expect_fine(R"(let {a_9 : [n_1]i32} = with_acc(acc [n_1] {xs_2},
    \{acc_8 : acc([n_1], {i32})} : {acc([n_1], {i32})} ->
      let {acc_7 : acc([n_1], {i32})} = map(n_1, {acc_8, ys_3},
        \{acc_6 : acc([n_1], {i32}), y_10 : i32} : {acc([n_1], {i32})} ->
          let {acc_11 : acc([n_1], {i32})} = update_acc(acc_6, {0i64}, {y_10})
          in {acc_11})
      in {acc_7}))");
  expect_problem(R"(let {a_9 : [n_1]i32} = with_acc(acc [n_1] {xs_2},
    \{acc_8 : acc([n_1], {i32})} : {acc([n_1], {i32})} ->
      let {acc_11 : acc([n_1], {i32})} = update_acc(acc_8, {0i64, 0i64}, {1i32})
      in {acc_11}))",
                 "2 indices");
}

TEST(Verify, Stages) {
  expect_problem("let {a_9 : i32} = kernel(flat(n_1), \\{i_8 : i64} : {} -> {})",
                 "kernel is not legal at stage soacs");
  EXPECT_EQ(problems("stage kernels fun f (n_1 : i64, xs_2 : [n_1]i32) : {} = "
                     "let {ys_9 : [n_1]i32} = map(n_1, {xs_2}, \\{x_3 : i32} : {i32} -> {x_3}) "
                     "in {}")[0],
            "f: let {ys_9 : [n_1]i32} = map(n_1, {xs_2}, \\{x_3 : i32} : {i32} -> {x_3}): soac is "
            "not legal at stage kernels");
}

TEST(Verify, Kernels) {
  const std::string head = "stage kernels fun f (n_1 : i64, m_2 : i64) : {} = ";
  EXPECT_EQ(problems(head + R"(
    let {s_3 : [n_1]i32, o_4 : [n_1][m_2]i64} = kernel(grid(n_1, m_2),
      \{i_5 : i64, j_6 : i64} : {i32, i64} -> {1i32, j_6},
      reduce 1 with {0i32} \{p_20 : i32, q_21 : i32} : {i32} -> {p_20},
      out 1)
    let {k_7 : i64, v_8 : [k_7]i64} = kernel(flat(n_1), guarded
      \{i_9 : i64} : {bool, i64, i64} -> {true, 0i64, i_9},
      partition 2 classes 1)
    let {t_10 : i32, r_11 : [n_1]bool} = kernel(flat(n_1),
      \{i_12 : i64} : {i32, i64, i32} -> {1i32, i_12, 1i32},
      scan 1 with {0i32} \{p_22 : i32, q_23 : i32} : {i32} -> {p_22},
      out 1,
      reduce 1 with {0i32} \{p_24 : i32, q_25 : i32} : {i32} -> {p_24},
      post \{a_13 : i32, b_14 : i64} : {bool} -> {true})
    in {})"),
            std::vector<std::string>{});
  EXPECT_EQ(problems(head + R"(
    let {o_4 : [n_1]i64} = kernel(flat(n_1), \{i_5 : i64} : {i64, i64} -> {i_5, i_5}, out 1)
    in {})")
                .size(),
            1u);
}

TEST(Verify, Memory) {
  const std::string head =
      "stage memory fun f (n_1 : i64, m_2 : mem, xs_3 : [n_1]i32 @ m_2) : {} = ";
  EXPECT_EQ(problems(head + R"(
    let {b_4 : mem} = alloc(n_1)
    let {ys_5 : [n_1]i32 @ b_4} = copy(xs_3)
    let {k_6 : mem, zs_7 : [n_1]i32 @ k_6} = if true then {m_2, xs_3} else {b_4, ys_5}
    let {w_8 : [2][2]i32 @ b_4[1i64; 2i64, n_1]} = scratch([2][2]i32)
    let {} = free(b_4)
    in {})"),
            std::vector<std::string>{});
  const auto one_problem = [&](const std::string& stmts, const std::string& words) {
    const auto found = problems(head + stmts + " in {}");
    ASSERT_EQ(found.size(), 1u) << stmts;
    EXPECT_NE(found[0].find(words), std::string::npos) << found[0];
  };
  const std::string made = "let {b_4 : mem} = alloc(n_1) let {ys_5 : [n_1]i32 @ b_4} = copy(xs_3) ";
  one_problem(made + "let {} = free(b_4) let {y_6 : i32} = ys_5[0i64]", "after its block b_4");
  one_problem(made + "let {} = free(b_4) let {zs_6 : [n_1]i32 @ b_4} = copy(xs_3)",
              "b_4 is used after it was freed");
  one_problem(made + "let {} = free(b_4) let {} = free(b_4)", "freed twice");
  one_problem("let {} = free(m_2)", "did not make it");
  EXPECT_EQ(problems(head + "let {ys_5 : [n_1]i32} = copy(xs_3) in {}").size(), 1u);
  EXPECT_EQ(problems(head + "let {ys_5 : [n_1]i32 @ n_1} = copy(xs_3) in {}").size(), 1u);
  EXPECT_EQ(
      problems(head + "let {ys_5 : [n_1]i32 @ m_2[0i64; 1i64, 1i64]} = copy(xs_3) in {}").size(),
      1u);
}

TEST(Verify, Spaces) {
  const std::string head =
      "stage kernels fun f (n_1 : i64, xs_2 : [n_1]i32 @device, ys_3 : [n_1]i32, c_4 : bool) : {} "
      "= ";
  const auto kernel = [](const std::string& space, const std::string& array) {
    return "kernel" + space + "(flat(n_1), \\{i_8 : i64} : {i32} -> let {x_9 : i32} = " + array +
           "[i_8] in {x_9}, out 1)";
  };
  EXPECT_EQ(problems(head + "let {a_5 : [n_1]i32 @device} = " + kernel(" @device", "xs_2") +
                     R"(
    let {b_6 : [n_1]i32} = copy(xs_2)
    let {c_7 : [n_1]i32} = if c_4 then {ys_3} else {b_6}
    let {d_10 : [n_1]i32 @device1} = copy(a_5)
    let {e_11 : i32} = d_10[0i64]
    let {f_12 : [2]i32 @device} = xs_2[0i64 for 2i64]
    let {g_13 : [n_1][2]i32 @device} = replicate([n_1], f_12)
    let {h_14 : [4]i32 @device} = iota_i32(4i64, e_11, 1i32)
    in {})"),
            std::vector<std::string>{});
  const auto one_problem = [&](const std::string& stmts, const std::string& words) {
    const auto found = problems(head + stmts + " in {}");
    ASSERT_FALSE(found.empty()) << stmts;
    EXPECT_NE(found[0].find(words), std::string::npos) << found[0];
  };
  one_problem("let {a_5 : [n_1]i32 @device} = " + kernel(" @device", "ys_3"),
              "ys_3 of type [n_1]i32 in a kernel that runs on device 0");
  one_problem("let {a_5 : [n_1]i32} = " + kernel(" @device", "xs_2"), "the pattern");
  one_problem("let {a_5 : [n_1]i32} = " + kernel("", "xs_2"), "in a kernel that runs on the host");
  one_problem("let {a_5 : [n_1]i32} = xs_2", "the pattern");
  one_problem("let {a_5 : [2]i32} = xs_2[0i64 for 2i64]", "the pattern");
  one_problem("let {a_5 : [n_1]i32} = if c_4 then {xs_2} else {ys_3}", "the first branch");
  one_problem("let {a_5 : [n_1]i32} = loop {p_6 : [n_1]i32 = xs_2} for i_7 : i64 < n_1 do {p_6}",
              "initial values");
  one_problem("let {a_5 : [n_6]i32 @device} = concat(0, n_1, {xs_2, ys_3})", "does not fit");
  one_problem("let {a_5 : i64 @device} = n_1", "in a space");
  one_problem("let {a_5 : i64} = call f(n_1, ys_3, ys_3, c_4)", "arguments");
  EXPECT_EQ(problems("fun f (xs_1 : [2]i32 @device) : {} = {}"),
            std::vector<std::string>{"f: a space before stage kernels"});
  EXPECT_EQ(problems("stage kernels entry \"f\" (sizes 0, \"[2]i32\", \"[2]i32\") : (sizes 0) "
                     "fun f (xs_1 : [2]i32 @device, ys_2 : [2]i32) : {} = {}")
                .size(),
            1u);
  EXPECT_EQ(
      problems("stage memory fun f (m_1 : mem @device, xs_2 : [2]i32 @ m_1) : {} = {}").size(), 1u);
}

TEST(Verify, Consumption) {
  const std::string update = "let {a_9 : [n_1]i32} = xs_2 with [0i64] = 1i32\n";
  expect_fine(update + "let {b_8 : i32} = a_9[0i64]");
  expect_problem(update + "let {b_8 : i32} = xs_2[0i64]", "xs_2 is used after it was consumed");
  expect_problem(
      "let {v_8 : [2]i32} = xs_2[0i64 for 2i64]\n" + update + "let {b_7 : i32} = v_8[0i64]",
      "v_8 is used after xs_2, with which it may share memory, was consumed");
  expect_fine("let {v_8 : [n_1]i32} = copy(xs_2)\n" + update + "let {b_7 : i32} = v_8[0i64]");
  expect_problem("let {a_9 : [n_1]i32} = ys_3 with [0i64] = 1i32", "ys_3, which is not unique");
  // Both branches may consume it, but not something after them.
  const std::string branches =
      "let {r_9 : [n_1]i32} = if c_5 then let {a_8 : [n_1]i32} = xs_2 with [0i64] = 1i32 in {a_8} "
      "else let {b_7 : [n_1]i32} = xs_2 with [0i64] = 2i32 in {b_7}\n";
  expect_fine(branches);
  expect_fine(branches + "let {b_10 : [n_1]i32} = r_9 with [0i64] = 1i32");
  expect_problem(branches + "let {b_10 : i32} = xs_2[0i64]", "used after it was consumed");
  expect_problem(
      "let {v_9 : [n_1]i32} = if c_5 then {xs_2} else {ys_3}\n"
      "let {a_8 : [n_1]i32} = v_9 with [0i64] = 1i32",
      "ys_3, which is not unique");
  expect_problem(
      "let {v_9 : [2]i32} = xs_2[0i64 for 2i64]\n"
      "let {a_8 : [n_1]i32} = xs_2 with [1i64 for 2i64] = v_9",
      "the value v_9 may share memory with xs_2");
}

TEST(Verify, ConsumptionInLoopsAndLambdas) {
  const auto loop = [](const std::string& unique) {
    return "let {r_9 : [n_1]i32} = loop {p_8 : " + unique +
           "[n_1]i32 = xs_2} for i_7 : i64 < n_1 do "
           "let {q_6 : [n_1]i32} = p_8 with [i_7] = 1i32 in {q_6}\n";
  };
  expect_fine(loop("*"));
  expect_problem(loop(""), "consumes p_8, which is not unique");
  expect_problem(loop("*") + "let {b_10 : i32} = xs_2[0i64]", "xs_2 is used after");
  expect_problem(
      "let {r_9 : i32} = loop {p_8 : i32 = 0i32} for i_7 : i64 < n_1 do "
      "let {q_6 : [n_1]i32} = xs_2 with [i_7] = 1i32 in {p_8}",
      "outside of a body that runs several times");
  const std::string map =
      "let {r_9 : [n_1][3]f32} = map(n_1, {zs_4}, \\{z_8 : [3]f32} : {[3]f32} -> "
      "let {w_7 : [3]f32} = z_8 with [0i64] = 1f32 in {w_7})\n";
  expect_fine(map);
  expect_problem(map + "let {b_10 : f32} = zs_4[0i64, 0i64]", "zs_4 is used after");
  expect_problem(
      "let {h_9 : [n_1]i32} = scatter(n_1, {xs_2}, to [n_1] xs_2, "
      "\\{y_8 : i32} : {i64, i32} -> {0i64, y_8})",
      "the input xs_2 may share memory with the destination xs_2");
  EXPECT_EQ(problems(R"(
    fun f (xs_1 : *[3]i32) : {*[3]i32} = {xs_1}
    fun main (ys_2 : *[3]i32) : {i32} =
      let {zs_3 : [3]i32} = call f(ys_2)
      let {y_4 : i32} = ys_2[0i64]
      in {y_4})"),
            std::vector<std::string>{
                "main: let {y_4 : i32} = ys_2[0i64]: ys_2 is used after it was consumed"});
}

// A result that is not unique may be (a part of) an argument.
TEST(Verify, ConsumptionOfResultsOfCalls) {
  const auto with_functions = [](const std::string& stmts) {
    return problems(R"(
      fun same (a_21 : [3]i32) : {[3]i32} = {a_21}
      fun new (b_22 : [3]i32) : {*[3]i32} = let {b_23 : [3]i32} = copy(b_22) in {b_23}
      fun change (c_24 : *[3]i32, c_25 : [3]i32) : {[3]i32} =
        let {c_26 : [3]i32} = c_24 with [0i64] = 1i32 in {c_26}
      fun main (xs_3 : *[3]i32, ys_4 : [3]i32) : {} =
    )" + stmts + " in {}");
  };
  const auto fine = [&](const std::string& stmts) {
    EXPECT_EQ(with_functions(stmts), std::vector<std::string>{}) << stmts;
  };
  const auto problem = [&](const std::string& stmts, const std::string& words) {
    const auto found = with_functions(stmts);
    ASSERT_EQ(found.size(), 1u) << stmts;
    EXPECT_NE(found[0].find(words), std::string::npos) << found[0];
  };
  const std::string same = "let {r_5 : [3]i32} = call same(xs_3)\n";
  const std::string of_new = "let {r_5 : [3]i32} = call new(xs_3)\n";
  const std::string update = "let {u_6 : [3]i32} = r_5 with [0i64] = 1i32\n";
  const std::string update_argument = "let {u_6 : [3]i32} = xs_3 with [0i64] = 1i32\n";
  fine(same + update);
  problem(same + update + "let {x_7 : i32} = xs_3[0i64]", "xs_3 is used after it was consumed");
  problem(same + update_argument + "let {x_7 : i32} = r_5[0i64]",
          "r_5 is used after xs_3, with which it may share memory, was consumed");
  problem("let {r_5 : [3]i32} = call same(ys_4)\n" + update, "ys_4, which is not unique");
  problem(same + "let {q_8 : [3]i32} = r_5[0i64 for 3i64]\n" + update_argument +
              "let {x_7 : i32} = q_8[0i64]",
          "q_8 is used after xs_3");
  problem("let {s_9 : i32} = loop {p_8 : i32 = 0i32} for i_7 : i64 < 3i64 do " + same + update +
              "in {p_8}",
          "outside of a body that runs several times");
  fine(of_new + update + "let {x_7 : i32} = xs_3[0i64]");
  fine(of_new + update_argument + "let {x_7 : i32} = r_5[0i64]");
  // What a call consumes is gone, so that its results are something else; other arguments are not.
  fine(of_new + "let {q_8 : [3]i32} = call change(xs_3, r_5)\n" +
       "let {u_6 : [3]i32} = q_8 with [0i64] = 1i32");
  problem("let {r_5 : [3]i32} = call change(xs_3, ys_4)\n" + update, "ys_4, which is not unique");
}

}  // namespace
}  // namespace skald::core
