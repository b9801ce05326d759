// SPDX-License-Identifier: Apache-2.0
// The interpreter on programs at stage SOACS: scalars, arrays, control, SOACs, errors.
#include "core_interp_util.h"

namespace skald::core {
namespace {

using namespace interp_test;

// ---- scalars and control

TEST(Interp, ScalarsAndCalls) {
  const std::string text = R"(stage soacs
fun square (x_0 : i32) : {i32} =
  let {y_1 : i32} = mul_i32(x_0, x_0)
  in {y_1}
fun main (a_2 : i32, b_3 : f64) : {i32, bool, f64} =
  let {s_4 : i32} = call square(a_2)
  let {t_5 : i32} = add_i32(s_4, 1i32)
  let {c_6 : bool} = lt_i32(a_2, t_5)
  let {d_7 : f64} = convert_i32_f64(t_5)
  let {e_8 : f64} = fma_f64(d_7, b_3, 0.5f64)
  let {f_9 : f64} = select(c_6, e_8, b_3)
  in {t_5, c_6, f_9}
)";
  EXPECT_EQ(run(text, {i32(3), f64(2)}), "10i32 true 20.5f64");
}

TEST(Interp, RecursionHasItsOwnFrames) {
  const std::string text = R"(stage soacs
fun fib (n_0 : i32) : {i32} =
  let {small_1 : bool} = lt_i32(n_0, 2i32)
  let {r_2 : i32} =
    if small_1 then {n_0}
    else
      let {a_3 : i32} = sub_i32(n_0, 1i32)
      let {b_4 : i32} = sub_i32(n_0, 2i32)
      let {x_5 : i32} = call fib(a_3)
      let {y_6 : i32} = call fib(b_4)
      let {z_7 : i32} = add_i32(x_5, y_6)
      in {z_7}
  in {r_2}
)";
  EXPECT_EQ(run(text, {i32(15)}, "fib"), "610i32");
}

TEST(Interp, RecursionThatNeverEndsIsAnError) {
  const std::string text = R"(stage soacs
fun f (n_0 : i32) : {i32} =
  let {r_1 : i32} = call f(n_0)
  in {r_1}
)";
  EXPECT_EQ(run(text, {i32(1)}, "f"), "error: Recursion too deep: the stack is used up.");
  // Deeper than any stack: the depth is limited by the stack itself.
  InterpOptions deep;
  deep.max_call_depth = 2'000'000'000;
  EXPECT_EQ(run(text, {i32(1)}, "f", deep).substr(0, 26), "error: Recursion too deep:");
}

TEST(Interp, LoopsExchangeTheirParameters) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64) : {i64, i64} =
  let {a_1 : i64, b_2 : i64} =
    loop {x_3 : i64 = 0i64, y_4 : i64 = 1i64} for i_5 : i64 < n_0 do
      let {z_6 : i64} = add_i64(x_3, y_4)
      in {y_4, z_6}
  in {a_1, b_2}
)";
  EXPECT_EQ(run(text, {i64(10)}), "55i64 89i64");
  EXPECT_EQ(run(text, {i64(-3)}), "0i64 1i64");
}

TEST(Interp, WhileLoopWithGrowingArray) {
  const std::string text = R"(stage soacs
fun main (limit_0 : i64) : {i64, [m_1]i32} =
  let {start_2 : [1]i32} = array(i32, {1i32})
  let {ok_3 : bool} = lt_i64(1i64, limit_0)
  let {more_4 : bool, m_1 : i64, xs_5 : [m_1]i32} =
    loop {go_6 : bool = ok_3, k_7 : i64 = 1i64, ys_8 : [k_7]i32 = start_2} while go_6 do
      let {k2_9 : i64} = mul_i64(k_7, 2i64)
      let {zs_10 : [k2_9]i32} = concat(0, k2_9, {ys_8, ys_8})
      let {go2_11 : bool} = lt_i64(k2_9, limit_0)
      in {go2_11, k2_9, zs_10}
  in {m_1, xs_5}
)";
  EXPECT_EQ(run(text, {i64(3)}), "4i64 [1i32, 1i32, 1i32, 1i32]");
  EXPECT_EQ(run(text, {i64(0)}), "1i64 [1i32]");
}

TEST(Interp, SmallLoopCountersWrapNowhere) {
  const std::string text = R"(stage soacs
fun main (n_0 : u8) : {i32} =
  let {s_1 : i32} =
    loop {a_2 : i32 = 0i32} for i_3 : u8 < n_0 do
      let {b_4 : i32} = add_i32(a_2, 1i32)
      in {b_4}
  in {s_1}
)";
  EXPECT_EQ(run(text, {scalar(Prim::kU8, 255)}), "255i32");
}

TEST(Interp, OnceFunctionsRunOnce) {
  const std::string text = R"(stage soacs
#[once]
fun table () : {[3]i32} =
  let {t_0 : [3]i32} = iota_i32(3i64, 5i32, -1i32)
  #[trace]
  let {u_1 : [3]i32} = opaque(t_0)
  in {u_1}
fun main () : {i32, [3]i32} =
  let {a_2 : [3]i32} = call table()
  let {b_3 : [3]i32} = a_2 with [0i64] = 9i32
  let {c_4 : [3]i32} = call table()
  let {x_5 : i32} = c_4[0i64]
  in {x_5, b_3}
)";
  std::vector<std::string> lines;
  InterpOptions options;
  options.trace = [&](const std::string& line) { lines.push_back(line); };
  EXPECT_EQ(run(text, {}, "main", options), "5i32 [9i32, 4i32, 3i32]");
  EXPECT_EQ(lines, std::vector<std::string>{": [5i32, 4i32, 3i32]"});
}

TEST(Interp, TraceWithTag) {
  const std::string text = R"--(stage soacs
fun main (x_0 : i32) : {i32} =
  #["trace(here)"]
  let {y_1 : i32} = opaque(x_0)
  in {y_1}
)--";
  std::string seen;
  InterpOptions options;
  options.trace = [&](const std::string& line) { seen += line; };
  EXPECT_EQ(run(text, {i32(7)}, "main", options), "7i32");
  EXPECT_EQ(seen, "here: 7i32");
}

// ---- arrays

TEST(Interp, SlicesAreViewsAndUpdatesDoNotLeak) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, xs_1 : *[n_0][2]i32) : {[2]i32, [n_0][2]i32, [2][2]i32, i32} =
  let {row_2 : [2]i32} = xs_1[1i64]
  let {back_3 : [2][2]i32} = xs_1[2i64 for 2i64 by -2i64]
  let {one_4 : i32} = xs_1[2i64, 1i64]
  let {ys_5 : [n_0][2]i32} = xs_1 with [1i64, 0i64] = 99i32
  in {row_2, ys_5, back_3, one_4}
)";
  EXPECT_EQ(run(text, {i64(3), i32s({3, 2}, {1, 2, 3, 4, 5, 6})}),
            "[3i32, 4i32] [[1i32, 2i32], [99i32, 4i32], [5i32, 6i32]] "
            "[[5i32, 6i32], [1i32, 2i32]] 6i32");
}

TEST(Interp, TheCallersDataStaysAsItIs) {
  const std::string text = R"(stage soacs
fun main (xs_0 : *[2]i32) : {[2]i32} =
  let {ys_1 : [2]i32} = xs_0 with [0i64] = 7i32
  in {ys_1}
)";
  const ArrayValue arg = i32s({2}, {1, 2});
  EXPECT_EQ(run(text, {arg}), "[7i32, 2i32]");
  EXPECT_EQ(show(arg), "[1i32, 2i32]");
}

TEST(Interp, RearrangeReshapeConcatReplicate) {
  const std::string text = R"(stage soacs
fun main (xs_0 : [2][3]i32) : {[3][2]i32, [6]i32, [6]i32, [2][4]i32, [2][2][3]i32, [0][3]i32} =
  let {t_1 : [3][2]i32} = rearrange((1, 0), xs_0)
  let {a_2 : [6]i32} = reshape([6], t_1)
  let {b_3 : [6]i32} = reshape([6], xs_0)
  let {l_4 : [2][1]i32} = xs_0[0i64 for 2i64, 1i64 for 1i64]
  let {c_5 : [2][4]i32} = concat(1, 4i64, {l_4, xs_0})
  let {r_6 : [2][2][3]i32} = replicate([2], xs_0)
  let {e_7 : [0][3]i32} = xs_0[7i64 for 0i64]
  in {t_1, a_2, b_3, c_5, r_6, e_7}
)";
  EXPECT_EQ(run(text, {i32s({2, 3}, {1, 2, 3, 4, 5, 6})}),
            "[[1i32, 4i32], [2i32, 5i32], [3i32, 6i32]] "
            "[1i32, 4i32, 2i32, 5i32, 3i32, 6i32] [1i32, 2i32, 3i32, 4i32, 5i32, 6i32] "
            "[[2i32, 1i32, 2i32, 3i32], [5i32, 4i32, 5i32, 6i32]] "
            "[[[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]], [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]]] "
            "empty([0][3]i32)");
}

TEST(Interp, FlatSlices) {
  const std::string text = R"(stage soacs
fun main (xs_0 : *[6]i32) : {[2][2]i32, [6]i32} =
  let {d_1 : [2][2]i32} = flat_index(xs_0, 1i64, {2i64 by 3i64, 2i64 by 1i64})
  let {v_2 : [2]i32} = array(i32, {70i32, 80i32})
  let {c_3 : [2][2]i32} = copy(d_1)
  let {ys_4 : [6]i32} = flat_update(xs_0, 5i64, {2i64 by -5i64}, v_2)
  in {c_3, ys_4}
)";
  EXPECT_EQ(run(text, {i32s({6}, {0, 1, 2, 3, 4, 5})}),
            "[[1i32, 2i32], [4i32, 5i32]] [80i32, 1i32, 2i32, 3i32, 4i32, 70i32]");
}

TEST(Interp, UpdateOfAnOverlappingViewCopies) {
  const std::string text = R"(stage soacs
fun main () : {[2][3]i32} =
  let {xs_0 : [3]i32} = iota_i32(3i64, 0i32, 1i32)
  let {twice_1 : [2][3]i32} = flat_index(xs_0, 0i64, {2i64 by 0i64, 3i64 by 1i64})
  let {ys_2 : [2][3]i32} = twice_1 with [0i64, 0i64] = 9i32
  in {ys_2}
)";
  EXPECT_EQ(run(text, {}), "[[9i32, 1i32, 2i32], [0i32, 1i32, 2i32]]");
}

TEST(Interp, HighRank) {
  const std::string text = R"(stage soacs
fun main () : {[1][2][1][1][1][2]i32, i32} =
  let {xs_0 : [1][2][1][1][1][2]i32} = replicate([1][2][1][1][1][2], 3i32)
  let {ys_1 : [1][2][1][1][1][2]i32} = xs_0 with [0i64, 1i64, 0i64, 0i64, 0i64, 1i64] = 4i32
  let {zs_2 : [2][1][1][1][1][2]i32} = rearrange((1, 0, 2, 3, 4, 5), ys_1)
  let {x_3 : i32} = zs_2[1i64, 0i64, 0i64, 0i64, 0i64, 1i64]
  in {ys_1, x_3}
)";
  EXPECT_EQ(run(text, {}), "[[[[[[3i32, 3i32]]]], [[[[3i32, 4i32]]]]]] 4i32");
}

// ---- SOACs

TEST(Interp, MapReduceScanInOne) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, xs_1 : [n_0]i32) : {i32, [n_0]i32, [n_0]i32} =
  let {sum_2 : i32, sums_3 : [n_0]i32, twice_4 : [n_0]i32} =
    soac(n_0, {xs_1}, \{x_5 : i32} : {i32, i32, i32} ->
      let {y_6 : i32} = mul_i32(x_5, 2i32)
      in {x_5, y_6, y_6},
    scan {0i32} \{a_7 : i32, b_8 : i32} : {i32} ->
      let {c_9 : i32} = add_i32(a_7, b_8)
      in {c_9},
    reduce {100i32} \{d_10 : i32, e_11 : i32} : {i32} ->
      let {f_12 : i32} = add_i32(d_10, e_11)
      in {f_12})
  in {sum_2, sums_3, twice_4}
)";
  EXPECT_EQ(run(text, {i64(3), i32s({3}, {1, 2, 3})}),
            "112i32 [1i32, 3i32, 6i32] [2i32, 4i32, 6i32]");
  EXPECT_EQ(run(text, {i64(0), i32s({0}, {})}), "100i32 empty([0]i32) empty([0]i32)");
}

TEST(Interp, PostBodyAfterScan) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, xs_1 : [n_0]i32) : {[n_0]i32, [n_0]bool} =
  let {p_2 : [n_0]i32, q_3 : [n_0]bool} =
    soac(n_0, {xs_1}, \{x_4 : i32} : {i32, i32} -> {x_4, x_4},
    scan {0i32} \{a_5 : i32, b_6 : i32} : {i32} ->
      let {c_7 : i32} = add_i32(a_5, b_6)
      in {c_7},
    post \{s_8 : i32, y_9 : i32} : {i32, bool} ->
      let {d_10 : i32} = sub_i32(s_8, y_9)
      let {e_11 : bool} = eq_i32(s_8, y_9)
      in {d_10, e_11})
  in {p_2, q_3}
)";
  EXPECT_EQ(run(text, {i64(3), i32s({3}, {5, 6, 7})}), "[0i32, 5i32, 11i32] [true, false, false]");
}

TEST(Interp, ArgMinOfPairs) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, xs_1 : [n_0]i32) : {i32, i64} =
  let {is_2 : [n_0]i64} = iota_i64(n_0, 0i64, 1i64)
  let {best_3 : i32, at_4 : i64} =
    soac(n_0, {xs_1, is_2}, \{x_5 : i32, i_6 : i64} : {i32, i64} -> {x_5, i_6},
    reduce {2147483647i32, -1i64} \{a_7 : i32, i_8 : i64, b_9 : i32, j_10 : i64} : {i32, i64} ->
      let {less_11 : bool} = lt_i32(b_9, a_7)
      let {c_12 : i32, k_13 : i64} = if less_11 then {b_9, j_10} else {a_7, i_8}
      in {c_12, k_13})
  in {best_3, at_4}
)";
  EXPECT_EQ(run(text, {i64(4), i32s({4}, {5, 2, 7, 2})}), "2i32 1i64");
}

TEST(Interp, NestedMapsAndEmptyRows) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, m_1 : i64, xs_2 : [n_0][m_1]i32, k_3 : i32) : {[n_0][m_1]i32} =
  let {ys_4 : [n_0][m_1]i32} =
    map(n_0, {xs_2}, \{row_5 : [m_1]i32} : {[m_1]i32} ->
      let {r_6 : [m_1]i32} =
        map(m_1, {row_5}, \{x_7 : i32} : {i32} ->
          let {y_8 : i32} = add_i32(x_7, k_3)
          in {y_8})
      in {r_6})
  in {ys_4}
)";
  EXPECT_EQ(run(text, {i64(2), i64(2), i32s({2, 2}, {1, 2, 3, 4}), i32(10)}),
            "[[11i32, 12i32], [13i32, 14i32]]");
  EXPECT_EQ(run(text, {i64(0), i64(2), i32s({0, 2}, {}), i32(10)}), "empty([0][2]i32)");
  EXPECT_EQ(run(text, {i64(2), i64(0), i32s({2, 0}, {}), i32(10)}), "empty([2][0]i32)");
}

TEST(Interp, ReductionOfRows) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, m_1 : i64, xs_2 : [n_0][m_1]i32) : {[m_1]i32, [n_0][m_1]i32} =
  let {zero_3 : [m_1]i32} = replicate([m_1], 0i32)
  let {sum_4 : [m_1]i32, sums_5 : [n_0][m_1]i32} =
    soac(n_0, {xs_2}, \{row_6 : [m_1]i32} : {[m_1]i32, [m_1]i32} -> {row_6, row_6},
    scan {zero_3} \{a_7 : [m_1]i32, b_8 : [m_1]i32} : {[m_1]i32} ->
      let {c_9 : [m_1]i32} =
        map(m_1, {a_7, b_8}, \{x_10 : i32, y_11 : i32} : {i32} ->
          let {z_12 : i32} = add_i32(x_10, y_11)
          in {z_12})
      in {c_9},
    reduce {zero_3} \{d_13 : [m_1]i32, e_14 : [m_1]i32} : {[m_1]i32} ->
      let {f_15 : [m_1]i32} =
        map(m_1, {d_13, e_14}, \{u_16 : i32, v_17 : i32} : {i32} ->
          let {w_18 : i32} = add_i32(u_16, v_17)
          in {w_18})
      in {f_15})
  in {sum_4, sums_5}
)";
  EXPECT_EQ(run(text, {i64(3), i64(2), i32s({3, 2}, {1, 2, 3, 4, 5, 6})}),
            "[9i32, 12i32] [[1i32, 2i32], [4i32, 6i32], [9i32, 12i32]]");
}

TEST(Interp, UpdatesInsideAMapDoNotTouchTheInput) {
  const std::string text = R"(stage soacs
fun main (xs_0 : [2][2]i32) : {[2][2]i32, [2][2]i32} =
  let {ys_1 : [2][2]i32} =
    map(2i64, {xs_0}, \{row_2 : [2]i32} : {[2]i32} ->
      let {c_3 : [2]i32} = copy(row_2)
      let {r_4 : [2]i32} = c_3 with [0i64] = 0i32
      in {r_4})
  in {xs_0, ys_1}
)";
  EXPECT_EQ(run(text, {i32s({2, 2}, {1, 2, 3, 4})}),
            "[[1i32, 2i32], [3i32, 4i32]] [[0i32, 2i32], [0i32, 4i32]]");
}

TEST(Interp, HistogramsIgnoreWhatIsOutside) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, is_1 : [n_0]i64, vs_2 : [n_0]i32, d_3 : *[3]i32) : {[3]i32} =
  let {h_4 : [3]i32} =
    hist(n_0, {is_1, vs_2},
    to [3] {d_3} with {0i32} \{a_5 : i32, b_6 : i32} : {i32} ->
      let {c_7 : i32} = add_i32(a_5, b_6)
      in {c_7},
    \{i_8 : i64, v_9 : i32} : {i64, i32} -> {i_8, v_9})
  in {h_4}
)";
  EXPECT_EQ(run(text, {i64(5), i64s({5}, {0, 2, -1, 3, 2}), i32s({5}, {1, 2, 3, 4, 5}),
                       i32s({3}, {10, 20, 30})}),
            "[11i32, 20i32, 37i32]");
}

TEST(Interp, HistogramInTwoDimensionsWithVectorOperator) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, is_1 : [n_0]i64, vs_2 : [n_0][2]i32, d_3 : *[1][2][2]i32) : {[1][2][2]i32} =
  let {zero_4 : [2]i32} = replicate([2], 0i32)
  let {h_5 : [1][2][2]i32} =
    hist(n_0, {is_1, vs_2},
    to [1][2] {d_3} with {zero_4} \{a_6 : [2]i32, b_7 : [2]i32} : {[2]i32} ->
      let {c_8 : [2]i32} =
        map(2i64, {a_6, b_7}, \{x_9 : i32, y_10 : i32} : {i32} ->
          let {z_11 : i32} = add_i32(x_9, y_10)
          in {z_11})
      in {c_8},
    \{i_12 : i64, v_13 : [2]i32} : {i64, i64, [2]i32} -> {0i64, i_12, v_13})
  in {h_5}
)";
  EXPECT_EQ(run(text, {i64(3), i64s({3}, {1, 1, 5}), i32s({3, 2}, {1, 2, 3, 4, 5, 6}),
                       i32s({1, 2, 2}, {0, 0, 10, 10})}),
            "[[[0i32, 0i32], [14i32, 16i32]]]");
}

TEST(Interp, ScatterToTwoDestinations) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, is_1 : [n_0]i64, a_2 : *[3]i32, b_3 : *[2][2]i32) : {[3]i32, [2][2]i32} =
  let {c_4 : [3]i32, d_5 : [2][2]i32} =
    scatter(n_0, {is_1},
    to [3] a_2,
    to [2][2] b_3,
    \{i_6 : i64} : {i64, i64, i64, i32, i32} -> {i_6, i_6, 1i64, 7i32, 8i32})
  in {c_4, d_5}
)";
  EXPECT_EQ(
      run(text, {i64(3), i64s({3}, {1, -1, 2}), i32s({3}, {0, 0, 0}), i32s({2, 2}, {0, 0, 0, 0})}),
      "[0i32, 7i32, 7i32] [[0i32, 0i32], [0i32, 8i32]]");
}

TEST(Interp, Partition) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, xs_1 : [n_0]i32) : {i64, i64, [a_2]i32, [b_3]i32} =
  let {a_2 : i64, b_3 : i64, ys_4 : [a_2]i32, zs_5 : [b_3]i32} =
    partition(n_0, 2, {xs_1}, \{x_6 : i32} : {i64, i32} ->
      let {c_7 : i32} = mod_i32(x_6, 3i32)
      let {d_8 : i64} = convert_i32_i64(c_7)
      in {d_8, x_6})
  in {a_2, b_3, ys_4, zs_5}
)";
  EXPECT_EQ(run(text, {i64(7), i32s({7}, {1, 2, 3, 4, 5, 6, 7})}),
            "2i64 3i64 [3i32, 6i32] [1i32, 4i32, 7i32]");
  EXPECT_EQ(run(text, {i64(0), i32s({0}, {})}), "0i64 0i64 empty([0]i32) empty([0]i32)");
}

TEST(Interp, FlatMap) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, ks_1 : [n_0]i64) : {i64, [n_0]i64, [m_2]bool, [n_0]i64, [m_2]i64, [n_0]i64} =
  let {m_2 : i64, sizes_3 : [n_0]i64, flags_4 : [m_2]bool, offsets_5 : [n_0]i64, data_6 : [m_2]i64, twice_7 : [n_0]i64} =
    flatmap(n_0, 1, {ks_1}, \{k_8 : i64} : {k2_9 : i64, [k2_9]i64, i64} ->
      let {xs_10 : [k_8]i64} = iota_i64(k_8, 0i64, 1i64)
      let {t_11 : i64} = mul_i64(k_8, 2i64)
      in {k_8, xs_10, t_11})
  in {m_2, sizes_3, flags_4, offsets_5, data_6, twice_7}
)";
  EXPECT_EQ(run(text, {i64(3), i64s({3}, {2, 0, 3})}),
            "5i64 [2i64, 0i64, 3i64] [true, false, true, false, false] [0i64, 2i64, 2i64] "
            "[0i64, 1i64, 0i64, 1i64, 2i64] [4i64, 0i64, 6i64]");
  EXPECT_EQ(run(text, {i64(0), i64s({0}, {})}),
            "0i64 empty([0]i64) empty([0]bool) empty([0]i64) empty([0]i64) empty([0]i64)");
}

TEST(Interp, Accumulators) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, is_1 : [n_0]i64, d_2 : *[3]i32) : {[3]i32, i32} =
  let {r_3 : [3]i32, x_4 : i32} =
    with_acc(
      acc [3] {d_2} with {0i32} \{a_5 : i32, b_6 : i32} : {i32} ->
        let {c_7 : i32} = add_i32(a_5, b_6)
        in {c_7},
      \{acc_8 : acc([3], {i32})} : {acc([3], {i32}), i32} ->
        let {acc2_9 : acc([3], {i32})} =
          map(n_0, {is_1, acc_8}, \{i_10 : i64, acc3_11 : acc([3], {i32})} : {acc([3], {i32})} ->
            let {acc4_12 : acc([3], {i32})} = update_acc(acc3_11, {i_10}, {5i32})
            in {acc4_12})
        let {acc5_13 : acc([3], {i32})} = call bump(acc2_9)
        in {acc5_13, 17i32})
  in {r_3, x_4}
fun bump (acc_20 : acc([3], {i32})) : {acc([3], {i32})} =
  let {acc_21 : acc([3], {i32})} = update_acc(acc_20, {0i64}, {100i32})
  in {acc_21}
)";
  EXPECT_EQ(run(text, {i64(4), i64s({4}, {1, 1, 9, 2}), i32s({3}, {1, 2, 3})}),
            "[101i32, 12i32, 8i32] 17i32");
  EXPECT_EQ(run(text, {i64(0), i64s({0}, {}), i32s({3}, {1, 2, 3})}), "[101i32, 2i32, 3i32] 17i32");
}

// ---- errors

TEST(Interp, AssertionsNameValuesAndPlaces) {
  const std::string text = R"(stage soacs
fun get (n_0 : i64, xs_1 : [n_0]i32, i_2 : i64) : {i32} =
  let {ok_3 : bool} = lt_i64(i_2, n_0)
  let {t_4 : token} = assert(ok_3, "Index [", i_2, "] of ", n_0, ok_3) at "a.fut:1:2-3" from "a.fut:4:5-6"
  let {x_5 : i32} = after {t_4} xs_1[i_2]
  in {x_5}
fun main (n_6 : i64, xs_7 : [n_6]i32) : {i32} =
  let {x_8 : i32} = call get(n_6, xs_7, 5i64) at "a.fut:9:1-9"
  in {x_8}
)";
  EXPECT_EQ(run(text, {i64(2), i32s({2}, {1, 2})}),
            "error: Index [5] of 2false\n-> #0  a.fut:1:2-3\n   #1  a.fut:4:5-6\n"
            "   #2  a.fut:9:1-9");
}

TEST(Interp, UncheckedAccessesAreErrorsToo) {
  const std::string text = R"(stage soacs
fun main (i_0 : i64) : {i32} =
  let {xs_1 : [2]i32} = iota_i32(2i64, 0i32, 1i32)
  let {x_2 : i32} = xs_1[i_0]
  in {x_2}
fun part (i_10 : i64) : {[2]i32} =
  let {xs_11 : [2]i32} = iota_i32(2i64, 0i32, 1i32)
  let {x_12 : [2]i32} = xs_11[i_10 for 2i64]
  in {x_12}
fun write (i_20 : i64) : {[2][2]i32} =
  let {xs_21 : [2][2]i32} = replicate([2][2], 0i32)
  let {x_22 : [2][2]i32} = xs_21 with [1i64, i_20] = 1i32
  in {x_22}
fun same (n_30 : i64, xs_31 : [n_30]i32) : {[3]i32} =
  let {ys_32 : [3]i32} = reshape([3], xs_31)
  in {ys_32}
)";
  EXPECT_EQ(run(text, {i64(2)}),
            "error: Unchecked access outside an array: index 2 in a dimension of size 2.");
  EXPECT_EQ(run(text, {i64(-1)}),
            "error: Unchecked access outside an array: index -1 in a dimension of size 2.");
  EXPECT_EQ(run(text, {i64(1)}, "part"),
            "error: Unchecked access outside an array: index 2 in a dimension of size 2.");
  EXPECT_EQ(run(text, {i64(7)}, "write"),
            "error: Unchecked access outside an array: index 7 in a dimension of size 2.");
  EXPECT_EQ(run(text, {i64(2), i32s({2}, {0, 0})}, "same"),
            "error: Unchecked shape: an array of shape [2] reshaped to [3].");
}

TEST(Interp, TooLargeArraysAreErrors) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, m_1 : i64) : {i32} =
  let {xs_2 : [n_0][m_1]i32} = replicate([n_0][m_1], 1i32)
  let {x_3 : i32} = xs_2[0i64, 0i64]
  in {x_3}
)";
  const auto message = [&](int64_t n, int64_t m) {
    return run(text, {i64(n), i64(m)}).substr(0, 21);
  };
  EXPECT_EQ(message(1'000'000'000, 1'000'000), "error: Out of memory:");
  EXPECT_EQ(message(INT64_MAX, INT64_MAX), "error: Out of memory:");
  EXPECT_EQ(message(-1, 5), "error: Out of memory:");
  EXPECT_EQ(run(text, {i64(1), i64(1)}), "1i32");
}

TEST(Interp, ArgumentsOfWrongSize) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, xs_1 : [n_0]i32) : {i64} =
  in {n_0}
)";
  EXPECT_EQ(run(text, {i64(3), i32s({2}, {1, 2})}),
            "error: entry point arguments have invalid sizes.");
}

// ---- cost

// A thousand times as many updates must not take a million times as long: this would take minutes
// if every update copied the array.
TEST(Interp, UpdatesInALoopWorkInPlace) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64) : {i64} =
  let {xs_1 : [n_0]i64} = replicate([n_0], 0i64)
  let {ys_2 : [n_0]i64} =
    loop {a_3 : *[n_0]i64 = xs_1} for i_4 : i64 < n_0 do
      let {odd_5 : i64} = mod_i64(i_4, 2i64)
      let {is_odd_6 : bool} = eq_i64(odd_5, 1i64)
      let {v_7 : i64} = a_3[i_4]
      let {w_8 : i64} = add_i64(v_7, i_4)
      let {b_9 : [n_0]i64} =
        if is_odd_6 then
          let {c_10 : [n_0]i64} = a_3 with [i_4] = w_8
          in {c_10}
        else {a_3}
      let {d_11 : [n_0]i64} = b_9
      in {d_11}
  let {last_12 : i64} = sub_i64(n_0, 1i64)
  let {z_13 : i64} = ys_2[last_12]
  in {z_13}
)";
  EXPECT_EQ(run(text, {i64(1'000'000)}), "999999i64");
}

TEST(Interp, RowUpdatesInALoopWorkInPlace) {
  const std::string text = R"(stage soacs
fun fill (n_20 : i64, xs_21 : *[n_20][4]i64, i_22 : i64) : {*[n_20][4]i64} =
  let {row_23 : [4]i64} = xs_21[i_22]
  let {new_24 : [4]i64} =
    map(4i64, {row_23}, \{x_25 : i64} : {i64} ->
      let {y_26 : i64} = add_i64(x_25, i_22)
      in {y_26})
  let {ys_27 : [n_20][4]i64} = xs_21 with [i_22] = new_24
  in {ys_27}
fun main (n_0 : i64) : {i64} =
  let {xs_1 : [n_0][4]i64} = replicate([n_0][4], 1i64)
  let {ys_2 : [n_0][4]i64} =
    loop {a_3 : *[n_0][4]i64 = xs_1} for i_4 : i64 < n_0 do
      let {b_5 : [n_0][4]i64} = call fill(n_0, a_3, i_4)
      in {b_5}
  let {last_6 : i64} = sub_i64(n_0, 1i64)
  let {z_7 : i64} = ys_2[last_6, 3i64]
  in {z_7}
)";
  EXPECT_EQ(run(text, {i64(200'000)}), "200000i64");
}

}  // namespace
}  // namespace skald::core
