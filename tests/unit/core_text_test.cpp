// SPDX-License-Identifier: Apache-2.0
// The text form: what is printed, that it is read back exactly, and what is said about text that
// cannot be read.  Random programs are in tests/property.
#include <gtest/gtest.h>

#include <random>

#include "core/edit/builder.h"
#include "core/edit/rename.h"
#include "core/text/parse.h"
#include "core/text/print.h"

namespace skald::core {
namespace {

Result<Program, source::Diagnostic> read(const std::string& text) {
  source::SourceMap sources;
  return parse(sources.add("test.core", text), sources);
}

// Reads `text` and expects that it prints as itself.
void expect_round_trip(const std::string& text) {
  const auto prog = read(text);
  ASSERT_TRUE(prog) << prog.error().what << " at byte " << prog.error().labels[0].span.begin;
  EXPECT_EQ(print(*prog, {.locs = true}), text);
}

std::string in_main(const std::string& stmts) {
  return "stage soacs\n\nfun main (n_1 : i64) : {} =\n" + stmts + "  in {}\n";
}

TEST(CoreText, ScalarsAndArrays) {
  expect_round_trip(in_main(R"(  let {a_2 : i32} = add_i32(3i32, -4i32)
  let {b_3 : bool} = lt_u8(255u8, 0u8)
  let {c_4 : f32} = convert_i32_f32(a_2)
  let {d_5 : i32} = bitcast_f32_i32(c_4)
  let {e_6 : i32} = select(b_3, a_2, d_5)
  let {f_7 : i64} = mul_hi_i64(n_1, -9223372036854775808i64)
  let {g_8 : f64} = mad_f64(1.5f64, -0f64, 1e+300f64)
  let {h_9 : i32} = e_6
  let {i_10 : i32} = opaque(h_9)
  let {xs_11 : [n_1]i64} = iota_i64(n_1, 0i64, 1i64)
  let {ys_12 : [2][n_1]i64} = array([n_1]i64, {xs_11, xs_11})
  let {y_13 : i64} = ys_12[0i64, 1i64]
  let {y_14 : [2][n_1]i64} = ys_12[1i64 for 2i64 by -1i64, 0i64 for n_1]
  let {y_15 : [2][n_1]i64} = ys_12 with [1i64, 0i64 for 3i64] = xs_11
  let {z_16 : [2][2]i64} = flat_index(xs_11, 0i64, {2i64 by 1i64, 2i64 by 3i64})
  let {z_17 : [n_1]i64} = flat_update(xs_11, 0i64, {2i64 by 1i64, 2i64 by 3i64}, z_16)
  let {z_18 : [6]i64} = concat(0, 6i64, {xs_11, xs_11})
  let {z_19 : [4][n_1]f16} = scratch([4][n_1]f16)
  let {z_20 : [4][n_1]f16} = replicate([4][n_1], 1.5f16)
  let {z_21 : [n_1][4]f16} = rearrange((1, 0), z_20)
  let {z_22 : [4][n_1]f16} = reshape([4][n_1], z_21)
  let {z_23 : i64} = reshape([], xs_11)
  let {z_24 : *[n_1]i64} = copy(xs_11)
)"));
}

TEST(CoreText, Control) {
  expect_round_trip(in_main(R"x(  let {c_2 : bool} = le_i64(0i64, n_1)
  let {t_3 : token} = assert(c_2, "Index [", n_1, "] \"quoted\" \\ tab\t\n\x01é\xff") at "a.fut:3:5-3:9" within "lookup" from "b.fut:1:1-1:2" within "main" from "c.fut:9:1-9:2"
  #[sequential, "flattening(no_outer)"]
  let {x_4 : i64} = after {t_3} add_i64(n_1, 1i64) at "a.fut:4:4-4:5"
  let {x_5 : i64} = if c_2 then {x_4} else {n_1}
  let {m_6 : i64, xs_7 : [m_6]i64} =
    if c_2 then
      let {y_8 : i64} = add_i64(n_1, 1i64)
      let {ys_9 : [y_8]i64} = iota_i64(y_8, 0i64, 1i64)
      in {y_8, ys_9}
    else
      let {zs_10 : [n_1]i64} = iota_i64(n_1, 0i64, 1i64)
      in {n_1, zs_10}
  let {r_11 : i64} =
    loop {p_12 : i64 = 0i64} for i_13 : i32 < 10i32 do
      let {q_14 : i64} = add_i64(p_12, n_1)
      in {q_14}
  let {r_15 : i64, r_16 : bool} =
    loop {p_17 : i64 = 0i64, g_18 : bool = true} while g_18 do {p_17, false}
  let {s_19 : i64} = call f'(n_1, 3i32)
  let {} = call "f+ \" x"()
)x"));
}

TEST(CoreText, Combinators) {
  expect_round_trip(in_main(R"(  let {xs_2 : [n_1]i32} =
    map(n_1, {}, \{} : {i32} -> {1i32})
  let {s_3 : i32, ys_4 : [n_1]i32} =
    soac(n_1, {xs_2, xs_2}, \{a_5 : i32, b_6 : i32} : {i32, i32} ->
        let {c_7 : i32} = add_i32(a_5, b_6)
        in {c_7, b_6},
      scan {0i32} \{d_8 : i32, e_9 : i32} : {i32} ->
        let {f_10 : i32} = add_i32(d_8, e_9)
        in {f_10},
      reduce commutative {0i32} \{d_11 : i32, e_12 : i32} : {i32} -> {d_11},
      post \{g_13 : i32} : {i32} -> {g_13})
  let {h_14 : [4]i32} =
    hist(n_1, {xs_2},
      to [4] {d_15} with commutative {0i32} \{d_16 : i32, e_17 : i32} : {i32} -> {d_16},
      \{a_18 : i32} : {i64, i32} -> {0i64, a_18})
  let {h_19 : [4]i32, h_20 : [4][2]i32} =
    scatter(n_1, {xs_2},
      to [4] d_21,
      to [4][2] d_22,
      \{a_23 : i32} : {i64, i64, i64, i32, i32} -> {0i64, 0i64, 1i64, a_23, a_23})
  let {k_24 : i64, l_25 : [k_24]i32} =
    partition(n_1, 1, {xs_2}, \{a_26 : i32} : {i64, i32} -> {0i64, a_26})
  let {m_27 : i64, l_28 : [n_1]i64, f_29 : [m_27]bool, o_30 : [n_1]i64, v_31 : [m_27]i32} =
    flatmap(n_1, 1, {xs_2}, \{a_32 : i32} : {k_33 : i64, [k_33]i32} -> {n_1, xs_2})
  let {v_34 : [n_1]i32} =
    with_acc(acc [n_1] {xs_2} with {0i32} \{d_35 : i32, e_36 : i32} : {i32} -> {d_35},
      acc [n_1] {xs_2},
      \{a_37 : acc([n_1], {i32}), b_38 : acc([n_1][2], {[n_1]i32, f32})} : {acc([n_1], {i32})} ->
        let {c_39 : acc([n_1], {i32})} = update_acc(a_37, {0i64}, {3i32})
        in {c_39})
)"));
}

TEST(CoreText, KernelsAndMemory) {
  expect_round_trip(R"x(stage memory

entry "main" (sizes 1, "xs" : *"[n]f32", "s" : "state" of 3) : (sizes 0, "[n]f32", *"()" of 0)
#[noinline]
fun main (n_1 : i64, m_2 : mem, xs_3 : *[n_1][3]f32 @ m_2[0i64; 3i64, 1i64]) : {m_4 : mem, *[n_1]f32} at "f.fut:1:1-2:3" =
  let {b_5 : mem} = alloc(n_1)
  let {ys_6 : f32 @ b_5[n_1]} =
    kernel(grid(n_1, 3i64), guarded \{i_7 : i64, j_8 : i64} : {bool, f32} -> {true, 1f32},
      out 1,
      reduce 1 with {0f32} \{a_9 : f32, b_10 : f32} : {f32} -> {a_9},
      partition 1 classes 2,
      scatter 2 to [n_1] {xs_3},
      hist 2 to [n_1] {xs_3} with commutative {0f32} \{a_11 : f32, b_12 : f32} : {f32} -> {a_11},
      post \{a_13 : f32} : {f32} -> {a_13})
  let {zs_14 : [n_1]f32 @ b_5} =
    kernel(seg(n_1, n_1; xs_3), \{} : {} -> {})
  let {} = free(m_2)
  in {m_2, ys_6}
)x");
}

TEST(CoreText, ConstantsKeepTheirBits) {
  std::mt19937_64 random(7);
  NameTable names;
  for (int i = 0; i < 20000; ++i) {
    const Prim type = kAllPrims[random() % kAllPrims.size()];
    uint64_t bits = random() >> (random() % 64);
    if (i % 3 == 0) bits = ~bits;
    bits = type == Prim::kBool     ? bits & 1
           : prim_bits(type) == 64 ? bits
                                   : bits & ((uint64_t{1} << prim_bits(type)) - 1);
    const Const c{type, bits};
    const auto prog = read(in_main("  let {x_2 : i32} = " + print(c) + "\n"));
    ASSERT_TRUE(prog) << print(c);
    EXPECT_EQ(*as_const(std::get<Value>(prog->functions[0].body.stmts[0].exp).arg), c) << print(c);
  }
  EXPECT_EQ(print(Const{Prim::kF32, 0x7fc00000}), "f32.nan");
  EXPECT_EQ(print(Const{Prim::kF32, 0xffc00001}), "f32.bits(0xffc00001)");
  EXPECT_EQ(print(Const{Prim::kF16, 0xfc00}), "-f16.inf");
  EXPECT_EQ(print(const_float(Prim::kF64, -0.0)), "-0f64");
}

TEST(CoreText, RenumberedTextStartsAtZeroAndIsReadBack) {
  const auto prog = read("fun f (n_7 : i64, m_30 : i64) : {i64} = in {m_30}");
  ASSERT_TRUE(prog);
  const std::string text = print(*prog, {.renumber = true});
  EXPECT_EQ(text, "stage soacs\n\nfun f (n_0 : i64, m_1 : i64) : {i64} =\n  in {m_1}\n");
  const auto again = read(text);
  ASSERT_TRUE(again);
  EXPECT_TRUE(equal(*prog, *again));
  EXPECT_EQ(print(*again, {.renumber = true}), text);
}

std::string problem(const std::string& text) {
  const auto prog = read(text);
  if (prog) return "no problem";
  const source::Diagnostic& d = prog.error();
  EXPECT_EQ(d.code, "core-syntax");
  EXPECT_EQ(d.labels.size(), 1u);
  const source::Span span = d.labels[0].span;
  return fmt::format("{}: {}", text.substr(span.begin, span.end - span.begin), d.what);
}

TEST(CoreText, ProblemsHaveAPlace) {
  const std::string f = "fun f (n_1 : i64) : {i64} = ";
  EXPECT_EQ(problem(f + "{m_1}"), "m_1: number 1 is already taken by `n_1`");
  EXPECT_EQ(problem(f + "{3}"), "3: a constant needs its type, as in 3i32");
  EXPECT_EQ(problem(f + "{300u8}"), "300u8: this is no value of type u8");
  EXPECT_EQ(problem(f + "{1e999f32}"), "1e999f32: this is no value of type f32");
  EXPECT_EQ(problem(f + "let {x_2 : i64} = frob_i64(n_1) in {n_1}"),
            "frob_i64: there is no operation `frob_i64`");
  EXPECT_EQ(problem(f + "{n_1"), ": expected `}`");
  EXPECT_EQ(problem(f + "{n_1} $"), "$: this character has no meaning here");
  EXPECT_EQ(problem(f + "{x_4294967295}"),
            "x_4294967295: the number of a name must be below 33554432");
  EXPECT_EQ(problem(f + "{x_99999999999999999999}"),
            "x_99999999999999999999: the number of a name must be below 33554432");
  EXPECT_EQ(problem("stage x"), "x: the stages are soacs, kernels and memory");
  EXPECT_EQ(problem("fun \"f\\q\""), "\\q: the escapes are \\n, \\t, \\\", \\\\ and \\xNN");
}

TEST(CoreText, DeepNestingIsAProblemNotACrash) {
  std::string text = "fun f () : {} = ";
  for (int i = 0; i < 100000; ++i) text += "let {} = if true then ";
  EXPECT_EQ(problem(text), "let: this is nested more than 1000 levels deep");
  text = "fun f (a_1 : ";
  for (int i = 0; i < 100000; ++i) text += "acc([], {";
  EXPECT_EQ(problem(text), "acc: this is nested more than 1000 levels deep");
}

}  // namespace
}  // namespace skald::core
