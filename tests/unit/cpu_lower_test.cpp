// SPDX-License-Identifier: Apache-2.0
// Core programs on the cpu back end against the interpreter, kernel by kernel, with sizes around
// the thresholds of the lowering.
#include <random>

#include "cpu_lower_util.h"

namespace skald::cpu_test {
namespace {

using core::interp_test::i64;

// Whole numbers below `limit`; sums of them are exact in floats too.
ArrayValue numbers(std::string_view type, std::vector<int64_t> shape, uint64_t limit) {
  const Prim prim = *prim_from_name(type);
  std::mt19937_64 random(7);
  size_t count = 1;
  for (int64_t n : shape) count *= static_cast<size_t>(n);
  std::vector<uint64_t> bits(count);
  for (uint64_t& b : bits) {
    b = random() % limit;
    if (is_float(prim)) b = core::const_float(prim, static_cast<double>(b)).bits;
  }
  return core::interp_test::value(prim, std::move(shape), bits);
}

// `text` with T replaced by a type.
std::string with_type(std::string text, std::string_view type) {
  for (size_t at = 0; (at = text.find('T', at)) != std::string::npos; at += type.size())
    text.replace(at, 1, type);
  return text;
}

// Runs one program on both back ends; nothing may leak on ours.
class Same {
 public:
  explicit Same(std::string text) : text_(std::move(text)), program_(text_) {}
  void on(const std::vector<ArrayValue>& args) const {
    const std::string expected = core::interp_test::run(text_, args);
    for (int threads : {1, 3}) {
      const int64_t live = runtime::pool_statistics().live_bytes;
      const std::string got = program_.run(args, threads);
      EXPECT_EQ(runtime::pool_statistics().live_bytes, live) << "leaked";
      if (got == expected) continue;
      ADD_FAILURE() << "expected " << expected.substr(0, 300) << "\ngot      "
                    << got.substr(0, 300);
      return;
    }
  }

 private:
  std::string text_;
  CpuProgram program_;
};

const std::vector<int64_t> kLengths = {0, 1, 15, 17, 64, 65, 4097, 40001};

TEST(CpuLower, FlatReduce) {
  for (const char* type : {"i32", "u8", "f32", "f64"}) {
    for (const char* op : {"add", "max"}) {
      std::string text = with_type(R"(stage soacs
fun main (n_0 : i64, xs_1 : [n_0]T) : {T} =
  let {s_2 : T} =
    soac(n_0, {xs_1}, \{x_3 : T} : {T} ->
      let {y_4 : T} = add_T(x_3, 1T)
      in {y_4},
    reduce {0T} \{a_5 : T, b_6 : T} : {T} ->
      let {c_7 : T} = OP_T(a_5, b_6)
      in {c_7})
  in {s_2}
)",
                                   type);
      text.replace(text.find("OP"), 2, op);
      const Same same(text);
      for (int64_t n : kLengths) same.on({i64(n), numbers(type, {n}, 20)});
    }
  }
}

// Two reductions, one of them of pairs with an operator that is not commutative, and an output.
TEST(CpuLower, SeveralReductions) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, xs_1 : [n_0]i32) : {i32, i32, i32, [n_0]i32} =
  let {s_2 : i32, p_3 : i32, q_4 : i32, ys_5 : [n_0]i32} =
    soac(n_0, {xs_1}, \{x_6 : i32} : {i32, i32, i32, i32} ->
      let {y_7 : i32} = mul_i32(x_6, 3i32)
      in {x_6, x_6, y_7, y_7},
    reduce {0i32} \{a_8 : i32, b_9 : i32} : {i32} ->
      let {c_10 : i32} = add_i32(a_8, b_9)
      in {c_10},
    reduce {1i32, 0i32} \{a_11 : i32, b_12 : i32, c_13 : i32, d_14 : i32} : {i32, i32} ->
      let {e_15 : i32} = mul_i32(a_11, c_13)
      let {f_16 : i32} = mul_i32(b_12, c_13)
      let {g_17 : i32} = add_i32(f_16, d_14)
      in {e_15, g_17})
  in {s_2, p_3, q_4, ys_5}
)";
  const Same same(text);
  for (int64_t n : kLengths) same.on({i64(n), numbers("i32", {n}, 1000)});
}

TEST(CpuLower, SegmentedReduce) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, m_1 : i64, xss_2 : [n_0][m_1]f32) : {[n_0]f32} =
  let {ss_3 : [n_0]f32} =
    map(n_0, {xss_2}, \{xs_4 : [m_1]f32} : {f32} ->
      let {s_5 : f32} =
        soac(m_1, {xs_4}, \{x_6 : f32} : {f32} -> {x_6},
        reduce {0f32} \{a_7 : f32, b_8 : f32} : {f32} ->
          let {c_9 : f32} = add_f32(a_7, b_8)
          in {c_9})
      in {s_5})
  in {ss_3}
)";
  const Same same(text);
  for (auto [n, m] : {std::pair<int64_t, int64_t>{0, 5},
                      {5, 0},
                      {1, 1},
                      {1000, 3},
                      {3, 40000},
                      {7, 100},
                      {20, 4000}})
    same.on({i64(n), i64(m), numbers("f32", {n, m}, 16)});
}

// Reductions along columns, where the lanes are neighbouring columns.
TEST(CpuLower, ReduceAcross) {
  const Same columns(R"(stage soacs
fun main (n_0 : i64, m_1 : i64, xss_2 : [n_0][m_1]f64) : {[m_1]f64, [m_1]i64} =
  let {cols_3 : [m_1][n_0]f64} = rearrange((1, 0), xss_2)
  let {is_4 : [n_0]i64} = iota_i64(n_0, 0i64, 1i64)
  let {ss_5 : [m_1]f64, ps_6 : [m_1]i64} =
    map(m_1, {cols_3}, \{xs_7 : [n_0]f64} : {f64, i64} ->
      let {s_8 : f64, p_9 : i64} =
        soac(n_0, {xs_7, is_4}, \{x_10 : f64, i_11 : i64} : {f64, i64} -> {x_10, i_11},
        reduce {0f64, -1i64} \{a_12 : f64, i_13 : i64, b_14 : f64, j_15 : i64} : {f64, i64} ->
          let {c_16 : bool} = lt_f64(a_12, b_14)
          let {d_17 : f64} = select(c_16, b_14, a_12)
          let {e_18 : i64} = select(c_16, j_15, i_13)
          in {d_17, e_18})
      in {s_8, p_9})
  in {ss_5, ps_6}
)");
  for (auto [n, m] : {std::pair<int64_t, int64_t>{0, 5}, {5, 0}, {1, 1}, {50, 16}, {1000, 33}})
    columns.on({i64(n), i64(m), numbers("f64", {n, m}, 100)});
  const Same product(R"(stage soacs
fun main (n_0 : i64, m_1 : i64, k_2 : i64, a_3 : [n_0][m_1]f32, b_4 : [m_1][k_2]f32) : {[n_0][k_2]f32} =
  let {bt_5 : [k_2][m_1]f32} = rearrange((1, 0), b_4)
  let {c_6 : [n_0][k_2]f32} =
    map(n_0, {a_3}, \{r_7 : [m_1]f32} : {[k_2]f32} ->
      let {x_8 : [k_2]f32} =
        map(k_2, {bt_5}, \{c_9 : [m_1]f32} : {f32} ->
          let {s_10 : f32} =
            soac(m_1, {r_7, c_9}, \{x_11 : f32, y_12 : f32} : {f32} ->
              let {p_13 : f32} = mul_f32(x_11, y_12)
              in {p_13},
            reduce {0f32} \{q_14 : f32, r_15 : f32} : {f32} ->
              let {t_16 : f32} = add_f32(q_14, r_15)
              in {t_16})
          in {s_10})
      in {x_8})
  in {c_6}
)");
  for (auto [n, k] : {std::pair<int64_t, int64_t>{3, 5}, {20, 64}, {7, 100}})
    product.on({i64(n), i64(11), i64(k), numbers("f32", {n, 11}, 10), numbers("f32", {11, k}, 10)});
}

TEST(CpuLower, Scans) {
  const std::string flat = R"(stage soacs
fun main (n_0 : i64, xs_1 : [n_0]i32) : {[n_0]i32, [n_0]i32} =
  let {ys_2 : [n_0]i32, zs_3 : [n_0]i32} =
    soac(n_0, {xs_1}, \{x_4 : i32} : {i32, i32, i32} -> {2i32, x_4, x_4},
    scan {1i32, 0i32} \{a_11 : i32, b_12 : i32, c_13 : i32, d_14 : i32} : {i32, i32} ->
      let {e_15 : i32} = mul_i32(a_11, c_13)
      let {f_16 : i32} = mul_i32(b_12, c_13)
      let {g_17 : i32} = add_i32(f_16, d_14)
      in {e_15, g_17},
    post \{s_18 : i32, t_19 : i32, u_20 : i32} : {i32, i32} ->
      let {v_21 : i32} = sub_i32(t_19, u_20)
      in {s_18, v_21})
  in {ys_2, zs_3}
)";
  const Same same_flat(flat);
  for (int64_t n : kLengths) same_flat.on({i64(n), numbers("i32", {n}, 1000)});
  const std::string rows = R"(stage soacs
fun main (n_0 : i64, m_1 : i64, xss_2 : [n_0][m_1]i32) : {[n_0][m_1]i32} =
  let {ss_3 : [n_0][m_1]i32} =
    map(n_0, {xss_2}, \{xs_4 : [m_1]i32} : {[m_1]i32} ->
      let {s_5 : [m_1]i32} =
        soac(m_1, {xs_4}, \{x_6 : i32} : {i32} -> {x_6},
        scan {0i32} \{a_7 : i32, b_8 : i32} : {i32} ->
          let {c_9 : i32} = add_i32(a_7, b_8)
          in {c_9})
      in {s_5})
  in {ss_3}
)";
  const Same same_rows(rows);
  for (auto [n, m] : {std::pair<int64_t, int64_t>{0, 5}, {5, 0}, {300, 3}, {2, 3000}})
    same_rows.on({i64(n), i64(m), numbers("i32", {n, m}, 1000)});
}

TEST(CpuLower, PartitionAndScatter) {
  const std::string partition = R"(stage soacs
fun main (n_0 : i64, xs_1 : [n_0]i32) : {p_20 : i64, q_21 : i64, [p_20]i32, [q_21]i32} =
  let {a_2 : i64, b_3 : i64, ys_4 : [a_2]i32, zs_5 : [b_3]i32} =
    partition(n_0, 2, {xs_1}, \{x_6 : i32} : {i64, i32} ->
      let {c_7 : i32} = mod_i32(x_6, 3i32)
      let {d_8 : i64} = convert_i32_i64(c_7)
      in {d_8, x_6})
  in {a_2, b_3, ys_4, zs_5}
)";
  const Same same_partition(partition);
  for (int64_t n : kLengths) same_partition.on({i64(n), numbers("i32", {n}, 1000)});
  const std::string rows = R"(stage soacs
fun main (n_0 : i64, xs_1 : [n_0][3]i32) : {p_20 : i64, [p_20][3]i32} =
  let {a_2 : i64, ys_4 : [a_2][3]i32} =
    partition(n_0, 1, {xs_1}, \{x_6 : [3]i32} : {i64, [3]i32} ->
      let {y_7 : i32} = x_6[1i64]
      let {c_8 : i32} = mod_i32(y_7, 3i32)
      let {d_9 : i64} = convert_i32_i64(c_8)
      in {d_9, x_6})
  in {a_2, ys_4}
)";
  const Same same_rows(rows);
  for (int64_t n : kLengths) same_rows.on({i64(n), numbers("i32", {n, 3}, 1000)});
  const std::string scatter = R"(stage soacs
fun main (n_0 : i64, is_1 : [n_0]i64, a_2 : *[50]i64) : {[50]i64} =
  let {c_4 : [50]i64} =
    scatter(n_0, {is_1},
    to [50] a_2,
    \{i_6 : i64} : {i64, i64} -> {i_6, i_6})
  in {c_4}
)";
  const Same same_scatter(scatter);
  for (int64_t n : kLengths)
    same_scatter.on({i64(n), numbers("i64", {n}, 100), numbers("i64", {50}, 1)});
}

TEST(CpuLower, Histograms) {
  const std::string text = R"(stage soacs
fun main (n_0 : i64, k_1 : i64, is_2 : [n_0]i64, d_3 : *[k_1]i32, e_4 : *[k_1]i32) : {[k_1]i32, [k_1]i32} =
  let {h_5 : [k_1]i32, g_6 : [k_1]i32} =
    hist(n_0, {is_2},
    to [k_1] {d_3, e_4} with {0i32, 0i32} \{a_7 : i32, b_8 : i32, c_9 : i32, d_10 : i32} : {i32, i32} ->
      let {e_11 : i32} = add_i32(a_7, c_9)
      let {f_12 : i32} = max_i32(b_8, d_10)
      in {e_11, f_12},
    \{i_13 : i64} : {i64, i32, i32} ->
      let {j_14 : i64} = sub_i64(i_13, 1i64)
      let {v_15 : i32} = convert_i64_i32(i_13)
      in {j_14, 1i32, v_15})
  in {h_5, g_6}
)";
  const Same same(text);
  for (int64_t n : kLengths)
    for (int64_t k : {0, 1, 10, 5000})
      same.on({i64(n), i64(k), numbers("i64", {n}, 2 * static_cast<uint64_t>(k) + 2),
               numbers("i32", {k}, 5), numbers("i32", {k}, 5)});
}

// Arrays made inside an iteration: sequential loops over them, branches that give arrays, calls.
TEST(CpuLower, ArraysInsideIterations) {
  const std::string text = R"(stage soacs
fun twice (m_0 : i64, xs_1 : [m_0]i32) : {[m_0]i32} =
  let {ys_2 : [m_0]i32} =
    map(m_0, {xs_1}, \{x_3 : i32} : {i32} ->
      let {y_4 : i32} = add_i32(x_3, x_3)
      in {y_4})
  in {ys_2}
fun main (n_10 : i64, m_11 : i64, xs_12 : [n_10]i32) : {[n_10][m_11]i32, [n_10]i32} =
  let {r_13 : [n_10][m_11]i32, s_14 : [n_10]i32} =
    map(n_10, {xs_12}, \{x_15 : i32} : {[m_11]i32, i32} ->
      let {a_16 : [m_11]i32} = replicate([m_11], x_15)
      let {c_17 : bool} = lt_i32(x_15, 500i32)
      let {b_18 : [m_11]i32} =
        if c_17 then
          let {t_19 : [m_11]i32} = call twice(m_11, a_16)
          in {t_19}
        else
          let {u_20 : [m_11]i32} = iota_i32(m_11, 0i32, 1i32)
          in {u_20}
      let {d_21 : [m_11]i32} =
        loop {e_22 : [m_11]i32 = b_18} for i_23 : i64 < 3i64 do
          let {f_24 : [m_11]i32} =
            map(m_11, {e_22}, \{g_25 : i32} : {i32} ->
              let {h_26 : i32} = add_i32(g_25, 1i32)
              in {h_26})
          in {f_24}
      let {s_27 : i32} =
        soac(m_11, {d_21}, \{x_28 : i32} : {i32} -> {x_28},
        reduce {0i32} \{a_29 : i32, b_30 : i32} : {i32} ->
          let {c_31 : i32} = add_i32(a_29, b_30)
          in {c_31})
      in {d_21, s_27})
  in {r_13, s_14}
)";
  const Same same(text);
  for (auto [n, m] : {std::pair<int64_t, int64_t>{0, 3}, {3, 0}, {1000, 5}, {4, 10000}})
    same.on({i64(n), i64(m), numbers("i32", {n}, 1000)});
}

// The error of the lowest iteration, with the calls around it; nothing leaks.
TEST(CpuLower, ErrorsInsideKernels) {
  const std::string text = R"(stage soacs
fun part (m_0 : i64, x_1 : i64) : {i64} =
  let {c_2 : bool} = lt_i64(x_1, 990i64)
  let {t_3 : token} = assert(c_2, "The value ", x_1, " is too large for ", m_0, ".") at "a.fut:3:4-5"
  let {y_4 : i64} = after {t_3} add_i64(x_1, 1i64)
  in {y_4}
fun main (n_10 : i64, xs_11 : [n_10]i64) : {[n_10]i64} =
  let {zs_12 : [n_10]i64} = iota_i64(n_10, 0i64, 1i64)
  let {ys_13 : [n_10]i64} =
    map(n_10, {xs_11, zs_12}, \{x_14 : i64, z_15 : i64} : {i64} ->
      let {a_16 : [n_10]i64} = replicate([n_10], x_14)
      let {b_17 : i64} = a_16[z_15]
      let {y_18 : i64} = call part(z_15, b_17) at "a.fut:7:8-9"
      in {y_18})
  in {ys_13}
)";
  const Same same(text);
  same.on({i64(2000), numbers("i64", {2000}, 1000)});
  same.on({i64(2000), numbers("i64", {2000}, 900)});
}

}  // namespace
}  // namespace skald::cpu_test
