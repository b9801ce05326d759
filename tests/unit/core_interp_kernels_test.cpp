// SPDX-License-Identifier: Apache-2.0
// The interpreter at stages KERNELS and MEMORY.
#include "core_interp_util.h"

namespace skald::core {
namespace {

using namespace interp_test;

const char* const kAdd = R"(\{a_900 : i32, b_901 : i32} : {i32} ->
      let {c_902 : i32} = add_i32(a_900, b_901)
      in {c_902})";
const char* const kAdd2 = R"(\{a_910 : i32, b_911 : i32} : {i32} ->
      let {c_912 : i32} = add_i32(a_910, b_911)
      in {c_912})";

// ---- kernels

TEST(InterpKernels, FlatWithReduceScanAndOut) {
  const std::string text = fmt::format(R"(stage kernels
fun main (n_0 : i64, xs_1 : [n_0]i32) : {{i32, [n_0]i32, [n_0]i32}} =
  let {{s_2 : i32, p_3 : [n_0]i32, t_4 : [n_0]i32}} =
    kernel(flat(n_0), \{{i_5 : i64}} : {{i32, i32, i32}} ->
      let {{x_6 : i32}} = xs_1[i_5]
      let {{y_7 : i32}} = mul_i32(x_6, 2i32)
      in {{x_6, x_6, y_7}},
    reduce 1 with {{0i32}} {},
    scan 1 with {{0i32}} {},
    out 1)
  in {{s_2, p_3, t_4}}
)",
                                       kAdd, kAdd2);
  EXPECT_EQ(run(text, {i64(3), i32s({3}, {1, 2, 3})}),
            "6i32 [1i32, 3i32, 6i32] [2i32, 4i32, 6i32]");
  EXPECT_EQ(run(text, {i64(0), i32s({0}, {})}), "0i32 empty([0]i32) empty([0]i32)");
}

TEST(InterpKernels, GridRunsAlongTheLastDimension) {
  const std::string text = fmt::format(R"(stage kernels
fun main (n_0 : i64, m_1 : i64, xs_2 : [n_0][m_1]i32) : {{[n_0]i32, [n_0][m_1]i32}} =
  let {{s_3 : [n_0]i32, p_4 : [n_0][m_1]i32}} =
    kernel(grid(n_0, m_1), \{{i_5 : i64, j_6 : i64}} : {{i32, i32}} ->
      let {{x_7 : i32}} = xs_2[i_5, j_6]
      in {{x_7, x_7}},
    reduce 1 with {{0i32}} {},
    scan 1 with {{0i32}} {})
  in {{s_3, p_4}}
)",
                                       kAdd, kAdd2);
  EXPECT_EQ(run(text, {i64(2), i64(3), i32s({2, 3}, {1, 2, 3, 4, 5, 6})}),
            "[6i32, 15i32] [[1i32, 3i32, 6i32], [4i32, 9i32, 15i32]]");
  EXPECT_EQ(run(text, {i64(2), i64(0), i32s({2, 0}, {})}), "[0i32, 0i32] empty([2][0]i32)");
}

TEST(InterpKernels, SegmentsGuardAndPost) {
  const std::string text = fmt::format(R"(stage kernels
fun main (k_0 : i64, n_1 : i64, offsets_2 : [k1_3]i64, xs_4 : [n_1]i32, k1_3 : i64) : {{[k_0]i32, [n_1]i32, [n_1]i64}} =
  let {{s_5 : [k_0]i32, p_6 : [n_1]i32, q_7 : [n_1]i64}} =
    kernel(seg(k_0, n_1; offsets_2), guarded \{{seg_8 : i64, pos_9 : i64, at_10 : i64}} : {{bool, i32, i32, i64}} ->
      let {{x_11 : i32}} = xs_4[at_10]
      let {{ok_12 : bool}} = lt_i32(0i32, x_11)
      let {{code_13 : i64}} = mul_i64(seg_8, 10i64)
      let {{code_14 : i64}} = add_i64(code_13, pos_9)
      in {{ok_12, x_11, x_11, code_14}},
    reduce 1 with {{0i32}} {},
    scan 1 with {{0i32}} {},
    out 1,
    post \{{u_15 : i32, v_16 : i64}} : {{i32, i64}} ->
      let {{w_17 : i32}} = neg_i32(u_15)
      in {{w_17, v_16}})
  in {{s_5, p_6, q_7}}
)",
                                       kAdd, kAdd2);
  EXPECT_EQ(
      run(text, {i64(3), i64(5), i64s({4}, {0, 2, 2, 5}), i32s({5}, {1, 2, 3, -9, 5}), i64(4)}),
      "[3i32, 0i32, 8i32] [-1i32, -3i32, -3i32, 0i32, -8i32] [0i64, 1i64, 20i64, 0i64, 22i64]");
  EXPECT_EQ(run(text, {i64(1), i64(1), i64s({2}, {0, 7}), i32s({1}, {1}), i64(2)}),
            "error: Unchecked offsets: segment 0 is 0 … 7 of 1.");
}

TEST(InterpKernels, PartitionScatterAndHist) {
  const std::string text = fmt::format(R"(stage kernels
fun main (n_0 : i64, xs_1 : [n_0]i64, d_2 : *[3]i64, h_3 : *[2]i32) : {{i64, [m_4]i64, [3]i64, [2]i32}} =
  let {{m_4 : i64, odd_5 : [m_4]i64, e_6 : [3]i64, g_7 : [2]i32}} =
    kernel(flat(n_0), \{{i_8 : i64}} : {{i64, i64, i64, i64, i64, i32}} ->
      let {{x_9 : i64}} = xs_1[i_8]
      let {{r_10 : i64}} = mod_i64(x_9, 2i64)
      let {{c_11 : i64}} = sub_i64(1i64, r_10)
      in {{c_11, x_9, x_9, i_8, r_10, 1i32}},
    partition 2 classes 1,
    scatter 2 to [3] {{d_2}},
    hist 2 to [2] {{h_3}} with {{0i32}} {})
  in {{m_4, odd_5, e_6, g_7}}
)",
                                       kAdd);
  EXPECT_EQ(run(text, {i64(4), i64s({4}, {5, 2, 1, 7}), i64s({3}, {9, 9, 9}), i32s({2}, {0, 0})}),
            "3i64 [5i64, 1i64, 7i64] [9i64, 2i64, 1i64] [1i32, 3i32]");
}

// ---- memory

TEST(InterpMemory, ArraysLiveInTheirBlocks) {
  const std::string text = R"(stage memory
fun main (m_0 : mem, xs_1 : [2][3]i32 @ m_0[0i64]) : {mem, [3][2]i32} =
  let {t_2 : [3][2]i32 @ m_0[0i64; 1i64, 3i64]} = rearrange((1, 0), xs_1)
  let {b_3 : mem} = alloc(24i64)
  let {c_4 : [3][2]i32 @ b_3[0i64]} = copy(t_2)
  in {b_3, c_4}
)";
  EXPECT_EQ(run(text, {i32s({2, 3}, {1, 2, 3, 4, 5, 6})}),
            "[[1i32, 4i32], [2i32, 5i32], [3i32, 6i32]]");
}

TEST(InterpMemory, AWrongPlanGivesAWrongResult) {
  // Both arrays in one block: the second overwrites the first.
  const std::string text = R"(stage memory
fun main () : {i32, i32} =
  let {b_0 : mem} = alloc(16i64)
  let {xs_1 : [2]i32 @ b_0[0i64]} = iota_i32(2i64, 1i32, 1i32)
  let {ys_2 : [2]i32 @ b_0[1i64]} = iota_i32(2i64, 10i32, 1i32)
  let {x_3 : i32} = xs_1[1i64]
  let {y_4 : i32} = ys_2[1i64]
  in {x_3, y_4}
)";
  EXPECT_EQ(run(text, {}), "10i32 11i32");
}

TEST(InterpMemory, KernelsWriteWhereTheirResultsLive) {
  // The result goes into the input's block, shifted by one: every element reads what the one
  // before it wrote.
  const std::string text = R"(stage memory
fun main (m_0 : mem, xs_1 : [4]i32 @ m_0[0i64]) : {mem, [4]i32} =
  let {head_2 : [3]i32 @ m_0[0i64]} = xs_1[0i64 for 3i64]
  let {ys_3 : [3]i32 @ m_0[1i64]} =
    kernel(flat(3i64), \{i_4 : i64} : {i32} ->
      let {x_5 : i32} = head_2[i_4]
      let {y_6 : i32} = mul_i32(x_5, 2i32)
      in {y_6},
    out 1)
  in {m_0, xs_1}
)";
  EXPECT_EQ(run(text, {i32s({4}, {1, 5, 5, 5})}), "[1i32, 2i32, 4i32, 8i32]");
}

TEST(InterpMemory, LoopsWithBlocksAsValues) {
  const std::string text = R"(stage memory
fun main (n_0 : i64) : {mem, [2]i64} =
  let {a_1 : mem} = alloc(16i64)
  let {b_2 : mem} = alloc(16i64)
  let {xs_3 : [2]i64 @ a_1[0i64]} = replicate([2], 1i64)
  let {m_4 : mem, ys_5 : [2]i64 @ m_4[0i64], o_6 : mem} =
    loop {m_7 : mem = a_1, zs_8 : [2]i64 @ m_7[0i64] = xs_3, o_9 : mem = b_2} for i_10 : i64 < n_0 do
      let {ws_11 : [2]i64 @ o_9[0i64]} =
        kernel(flat(2i64), \{j_12 : i64} : {i64} ->
          let {k_13 : i64} = sub_i64(1i64, j_12)
          let {x_14 : i64} = zs_8[k_13]
          let {y_15 : i64} = add_i64(x_14, k_13)
          in {y_15},
        out 1)
      in {o_9, ws_11, m_7}
  let {f_16 : token} = assert(true, "fine")
  in {m_4, ys_5}
)";
  EXPECT_EQ(run(text, {i64(0)}), "[1i64, 1i64]");
  EXPECT_EQ(run(text, {i64(1)}), "[2i64, 1i64]");
  EXPECT_EQ(run(text, {i64(3)}), "[3i64, 2i64]");
}

TEST(InterpMemory, UpdatesAreInPlaceThroughCalls) {
  const std::string text = R"(stage memory
fun set (m_0 : mem, xs_1 : *[2]i32 @ m_0[0i64]) : {mem, [2]i32} =
  let {ys_2 : [2]i32 @ m_0[0i64]} = xs_1 with [0i64] = 9i32
  in {m_0, ys_2}
fun main () : {i32} =
  let {b_3 : mem} = alloc(8i64)
  let {xs_4 : [2]i32 @ b_3[0i64]} = replicate([2], 1i32)
  let {c_5 : mem, ys_6 : [2]i32 @ c_5[0i64]} = call set(b_3, xs_4)
  let {x_7 : i32} = xs_4[0i64]
  in {x_7}
)";
  EXPECT_EQ(run(text, {}), "9i32");
}

TEST(InterpMemory, PlansThatLeaveTheBlockAreErrors) {
  const std::string text = R"(stage memory
fun main (offset_0 : i64) : {i32} =
  let {b_1 : mem} = alloc(8i64)
  let {xs_2 : [2]i32 @ b_1[offset_0]} = iota_i32(2i64, 1i32, 1i32)
  let {x_3 : i32} = xs_2[1i64]
  in {x_3}
fun freed () : {i32} =
  let {b_11 : mem} = alloc(8i64)
  let {xs_12 : [2]i32 @ b_11[0i64]} = iota_i32(2i64, 1i32, 1i32)
  let {} = free(b_11)
  let {ys_13 : [1]i32 @ b_11[1i64]} = xs_12[1i64 for 1i64]
  let {x_14 : i32} = ys_13[0i64]
  in {x_14}
)";
  const std::string message = " does not fit a block of 8 bytes.";
  EXPECT_EQ(run(text, {i64(0)}), "2i32");
  EXPECT_EQ(run(text, {i64(1)}), "error: Memory plan: an array of shape [2] at offset 1" + message);
  EXPECT_EQ(run(text, {i64(-1)}),
            "error: Memory plan: an array of shape [2] at offset -1" + message);
  EXPECT_EQ(run(text, {}, "freed"),
            "error: Memory plan: an array of shape [1] is used after its block was freed.");
}

}  // namespace
}  // namespace skald::core
