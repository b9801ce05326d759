// SPDX-License-Identifier: Apache-2.0
// Programs that fail give back all they own: after the first runs, memory no longer grows.
#include <malloc.h>

#include "cpu_lower_util.h"

namespace skald::cpu_test {
namespace {

using core::interp_test::i64;

#if !defined(__SANITIZE_ADDRESS__)

// A block takes at least 128 bytes, so one that is lost in each run would show.  What other threads
// still compile shows too, but not again and again.
void expect_no_growth(const std::string& text, const std::vector<ArrayValue>& args) {
  constexpr size_t kWarmUp = 50, kRounds = 400, kSlack = 16 << 10;
  constexpr int kAttempts = 5;
  const CpuProgram program(text);
  for (const int threads : {1, 3}) {
    const int64_t live = runtime::pool_statistics().live_bytes;
    const auto fail_often = [&](size_t rounds) {
      for (size_t round = 0; round < rounds; ++round)
        ASSERT_TRUE(program.run(args, threads).starts_with("error: "));
    };
    fail_often(kWarmUp);
    bool grew = true;
    for (int attempt = 0; attempt < kAttempts && grew; ++attempt) {
      const size_t before = ::mallinfo2().uordblks;
      fail_often(kRounds);
      grew = ::mallinfo2().uordblks > before + kSlack;
    }
    EXPECT_FALSE(grew) << threads << " threads";
    EXPECT_EQ(runtime::pool_statistics().live_bytes, live);
  }
}

TEST(CpuLeak, InOnePointOfAKernel) {
  expect_no_growth(R"(stage soacs
fun main (n_10 : i64) : {[n_10]i64} =
  let {zs_12 : [n_10]i64} = iota_i64(n_10, 0i64, 1i64)
  let {ys_13 : [n_10]i64} =
    map(n_10, {zs_12}, \{z_15 : i64} : {i64} ->
      let {a_16 : [n_10]i64} = replicate([n_10], z_15)
      let {b_17 : [n_10]i64} = a_16 with [z_15] = 7i64
      let {c_18 : bool} = lt_i64(z_15, 90i64)
      let {t_19 : token} = assert(c_18, "Too large: ", z_15, ".") at "a.fut:3:4-5"
      let {d_20 : i64} = after {t_19} b_17[z_15]
      in {d_20})
  in {ys_13}
)",
                   {i64(100)});
}

TEST(CpuLeak, InALoopThatOwnsArrays) {
  expect_no_growth(R"(stage soacs
fun main (n_1 : i64) : {[n_1]i64} =
  let {a_2 : [n_1]i64} = iota_i64(n_1, 0i64, 1i64)
  let {b_3 : [n_1]i64} =
    loop {x_4 : [n_1]i64 = a_2} for i_5 : i64 < n_1 do
      let {y_6 : [n_1]i64} = map(n_1, {x_4}, \{v_7 : i64} : {i64} ->
        let {w_8 : i64} = add_i64(v_7, i_5)
        in {w_8})
      let {c_9 : bool} = lt_i64(i_5, 30i64)
      let {t_10 : token} = assert(c_9, "Round ", i_5, ".") at "a.fut:3:4-5"
      let {z_11 : [n_1]i64} =
        soac(n_1, {y_6}, \{o_17 : i64} : {i64} -> {o_17},
          scan commutative {0i64} \{p_12 : i64, q_13 : i64} : {i64} ->
            let {r_14 : i64} = add_i64(p_12, q_13)
            in {r_14})
      let {k_15 : i64} = after {t_10} z_11[0i64]
      let {u_16 : [n_1]i64} = z_11 with [1i64] = k_15
      in {u_16}
  in {b_3}
)",
                   {i64(50)});
}

TEST(CpuLeak, InAFunctionWhoseCallersOwnArrays) {
  expect_no_growth(R"(stage soacs
#[noinline]
fun deep (n_1 : i64, k_2 : i64) : {[n_1]i64} =
  let {a_3 : [n_1]i64} = replicate([n_1], k_2)
  let {c_4 : bool} = lt_i64(0i64, k_2)
  let {t_5 : token} = assert(c_4, "Deep enough.") at "a.fut:1:1-2"
  let {j_6 : i64} = after {t_5} sub_i64(k_2, 1i64)
  let {b_7 : [n_1]i64} = call deep(n_1, j_6) at "a.fut:2:1-2"
  let {d_8 : [n_1]i64} = map(n_1, {a_3, b_7}, \{x_9 : i64, y_10 : i64} : {i64} ->
    let {z_11 : i64} = add_i64(x_9, y_10)
    in {z_11})
  in {d_8}
fun main (n_20 : i64) : {[n_20]i64} =
  let {a_21 : [n_20]i64} = iota_i64(n_20, 0i64, 1i64)
  let {b_22 : [n_20]i64} = call deep(n_20, 9i64) at "a.fut:9:1-2"
  let {d_23 : [n_20]i64} = map(n_20, {a_21, b_22}, \{x_24 : i64, y_25 : i64} : {i64} ->
    let {z_26 : i64} = mul_i64(x_24, y_25)
    in {z_26})
  in {d_23}
)",
                   {i64(60)});
}

#endif

}  // namespace
}  // namespace skald::cpu_test
