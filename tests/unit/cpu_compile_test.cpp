// SPDX-License-Identifier: Apache-2.0
// Programs in imp, compiled and run.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <span>

#include "codegen/cpu/compile.h"
#include "imp/text/print.h"
#include "imp/verify/verify.h"
#include "in_lanes_util.h"
#include "runtime/block.h"
#include "runtime/context.h"
#include "runtime/cpu/parallel.h"

namespace skald::cpu {
namespace {

CompiledProgram build(std::string_view text) {
  Result<imp::Program> prog = in_lanes(text);
  if (!prog) SKALD_BUG("{}", prog.error());
  imp::verify_or_bug(*prog, "parsing");
  Result<CompiledProgram> compiled = compile(*prog);
  if (!compiled) SKALD_BUG("{}", compiled.error());
  return std::move(*compiled);
}

// A block that goes away with its owner.
class Block {
 public:
  template <class T>
  explicit Block(const std::vector<T>& values)
      : block_(runtime::allocate_block(static_cast<int64_t>(values.size() * sizeof(T)))) {
    std::copy(values.begin(), values.end(), static_cast<T*>(block_->data));
  }
  explicit Block(int64_t slot) : block_(reinterpret_cast<SkaldBlock*>(slot)) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() { skald_rt_release(block_); }
  int64_t slot() const { return reinterpret_cast<int64_t>(block_); }
  template <class T>
  std::span<T> as() const {
    return {static_cast<T*>(block_->data), static_cast<size_t>(block_->bytes) / sizeof(T)};
  }

 private:
  SkaldBlock* block_;
};

std::vector<float> ramp(size_t n) {
  std::vector<float> out(n);
  std::iota(out.begin(), out.end(), 0.0f);
  return out;
}

class CpuCompile : public testing::Test {
 protected:
  CpuCompile() : live_(runtime::pool_statistics().live_bytes) {}
  // What a program allocated is gone.
  ~CpuCompile() override { EXPECT_EQ(runtime::pool_statistics().live_bytes, live_); }
  int64_t live_;
  runtime::ThreadPool pool_{2};
};

constexpr std::string_view kMap = R"(
entry "main" fn "main"(heap xs_1, i64 n_2) -> (heap, i64) {
  i64 bytes_3 = mul_i64(n_2, 4i64);
  heap ys_4 = alloc(bytes_3);
  parallel for (i_5 < n_2; grain 0i64) {
    f32 x_6 = xs_1[i_5];
    f32 y_7 = mul_f32(x_6, 2f32);
    f32 ys_4[i_5] = y_7;
  }
  return (ys_4, n_2);
})";

TEST_F(CpuCompile, MapsInParallel) {
  const CompiledProgram prog = build(kMap);
  EXPECT_EQ(prog.entry("other"), nullptr);
  for (size_t n : {0, 1, 7, 100000}) {
    const Block xs(ramp(n));
    int64_t in[] = {xs.slot(), static_cast<int64_t>(n)}, out[2] = {};
    SkaldContext ctx(&pool_);
    ASSERT_EQ(prog.entry("main")(&ctx, in, out), 0);
    const Block ys(out[0]);
    EXPECT_EQ(out[1], static_cast<int64_t>(n));
    for (size_t i = 0; i < n; ++i) ASSERT_EQ(ys.as<float>()[i], 2.0f * static_cast<float>(i));
  }
}

// Simplification compares a widened index with 0 before it is widened.
TEST_F(CpuCompile, IndicesAreComparedOnceInTheirOwnWidth) {
  const Result<imp::Program> prog = in_lanes(R"(
loc 1 "x.fut:1:1";
entry "main" fn "main"(heap xs_1, i64 n_2, i32 i_3) -> (f32) {
  i64 wide_4 = convert(i32, i64, i_3);
  bool low_5 = le_i32(0i32, i_3);
  bool high_6 = lt_i64(wide_4, n_2);
  bool fine_7 = and_bool(low_5, high_6);
  check(fine_7, "no") @1;
  f32 x_8 = xs_1[wide_4];
  return (x_8);
})");
  ASSERT_TRUE(prog) << prog.error();
  const Result<std::string> ll = emit_llvm(*prog);
  ASSERT_TRUE(ll);
  EXPECT_NE(ll->find("icmp ult i32"), std::string::npos) << *ll;
  const CompiledProgram compiled = build(imp::print(*prog));
  const Block xs(ramp(5));
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const int64_t n : {int64_t{5}, int64_t{0}, int64_t{-1}, kMost})
    for (const int32_t i : {0, 4, 5, -1, std::numeric_limits<int32_t>::min()}) {
      if (n == kMost && i == 5) continue;
      int64_t in[] = {xs.slot(), n, static_cast<uint32_t>(i)}, out[1] = {};
      SkaldContext ctx;
      EXPECT_EQ(compiled.entry("main")(&ctx, in, out), i >= 0 && i < n ? 0 : 1) << n << ' ' << i;
    }
}

TEST_F(CpuCompile, EmitsVectorCode) {
  const Result<imp::Program> prog = in_lanes(kMap);
  const Result<std::string> ll = emit_llvm(*prog);
  ASSERT_TRUE(ll);
  EXPECT_NE(ll->find("x float>"), std::string::npos) << *ll;
  const Result<std::string> assembly = emit_assembly(*prog);
  ASSERT_TRUE(assembly);
  EXPECT_NE(assembly->find("skald_entry_0"), std::string::npos);
}

// The failure of the lowest iteration wins, the blocks are given back, and the calls are recorded.
TEST_F(CpuCompile, FailsCleanly) {
  const CompiledProgram prog = build(R"(
loc 1 "a.fut:1:1";
loc 2 "a.fut:2:2";
fn "inner"(heap xs_1, i64 n_2, i64 limit_3) -> (heap) {
  heap ys_4 = alloc(1000000i64);
  parallel for (i_5 < n_2; grain 1i64) {
    heap zs_6 = alloc(300000i64);
    scratch ws_7 = alloc(n_2);
    bool ok_8 = lt_i64(i_5, limit_3);
    check(ok_8, "Index [", i_5, "] is bad") @1;
  }
  return (ys_4);
}
entry "main" fn "main"(heap xs_9, i64 n_10, i64 limit_11) -> (heap) {
  heap ys_12 = alloc(500000i64);
  call (heap zs_13) = "inner"(xs_9, n_10, limit_11) @2;
  return (zs_13);
})");
  const Block xs(ramp(10));
  int64_t in[] = {xs.slot(), 1000, 123}, out[1] = {};
  for (int round = 0; round < 20; ++round) {
    SkaldContext ctx(&pool_);
    ASSERT_EQ(prog.entry("main")(&ctx, in, out), 1);
    const auto error = ctx.errors.error();
    ASSERT_TRUE(error);
    ASSERT_EQ(error->id, 0);
    EXPECT_EQ(error->value_count, 1);
    EXPECT_EQ(error->values[0], 123);
    EXPECT_EQ(error->frame_count, 1);
    EXPECT_EQ(error->frames[0], 2);
    const FailureMessage& message = prog.failures().at(static_cast<size_t>(error->id));
    EXPECT_EQ(message.loc.index, 1u);
    EXPECT_EQ(std::get<std::string>(message.parts[0]), "Index [");
    EXPECT_EQ(std::get<clike::FailureValue>(message.parts[1]).type, Prim::kI64);
  }
  in[2] = 1000;
  SkaldContext ctx(&pool_);
  ASSERT_EQ(prog.entry("main")(&ctx, in, out), 0);
  const Block zs(out[0]);
}

TEST_F(CpuCompile, OutOfMemoryIsAFailure) {
  const CompiledProgram prog = build(R"(
entry "heap" fn "f"(i64 n_1) -> (heap) {
  heap xs_2 = alloc(1000000i64);
  heap ys_3 = alloc(n_1);
  return (ys_3);
}
entry "scratch" fn "g"(i64 n_4) -> () {
  scratch ys_5 = alloc(n_4);
  i8 ys_5[0i64] = 1i8;
  return ();
})");
  for (const char* name : {"heap", "scratch"})
    for (int64_t bytes : {int64_t{-1}, int64_t{1} << 60}) {
      SkaldContext ctx;
      int64_t in[] = {bytes}, out[1] = {};
      ASSERT_EQ(prog.entry(name)(&ctx, in, out), 1);
      EXPECT_EQ(ctx.errors.error()->id, SKALD_RT_OUT_OF_MEMORY);
    }
}

TEST_F(CpuCompile, RecursionEndsBeforeTheStack) {
  const CompiledProgram prog = build(R"(
fn "down"(i64 n_1, heap b_2) -> (i64) {
  bool go_3 = lt_i64(0i64, n_1);
  var i64 r_4 = 0i64;
  if (go_3) {
    i64 m_5 = sub_i64(n_1, 1i64);
    call (i64 s_6) = "down"(m_5, b_2);
    i64 t_7 = add_i64(s_6, n_1);
    r_4 = t_7;
    i64 b_2[0i64] = t_7;
  }
  return (r_4);
}
entry "main" fn "main"(i64 n_8) -> (i64) {
  heap b_9 = alloc(8i64);
  call (i64 r_10) = "down"(n_8, b_9);
  return (r_10);
})");
  SkaldContext ctx;
  int64_t in[] = {1000}, out[1] = {};
  ASSERT_EQ(prog.entry("main")(&ctx, in, out), 0);
  EXPECT_EQ(out[0], 500500);
  in[0] = 1'000'000'000;
  ASSERT_EQ(prog.entry("main")(&ctx, in, out), 1);
  EXPECT_EQ(ctx.errors.error()->id, SKALD_RT_STACK_OVERFLOW);
}

TEST_F(CpuCompile, ChunksAreFixed) {
  const CompiledProgram prog = build(R"(
entry "sum" fn "sum"(heap xs_1, i64 n_2) -> (f32, i64) {
  i64 size_3 = chunk_size(n_2, 1000i64);
  scratch sums_4 = alloc(1024i64);
  fill(f32 sums_4[0i64], 256i64, -0f32);
  scratch counts_20 = alloc(8i64);
  i64 counts_20[0i64] = 0i64;
  parallel chunks (b_5, e_6, k_7 < n_2; size size_3) {
    var f32 acc_8 = 0f32;
    for (i64 i_9 = b_5; i_9 < e_6; i_9 += 1i64) {
      f32 x_10 = xs_1[i_9];
      f32 y_11 = add_f32(acc_8, x_10);
      acc_8 = y_11;
    }
    f32 sums_4[k_7] = acc_8;
    atomic add_i64(counts_20[0i64], 1i64);
  }
  var f32 total_12 = 0f32;
  for (i64 j_13 = 0i64; j_13 < 256i64; j_13 += 1i64) {
    f32 s_14 = sums_4[j_13];
    f32 t_15 = add_f32(total_12, s_14);
    total_12 = t_15;
  }
  i64 c_16 = counts_20[0i64];
  return (total_12, c_16);
})");
  std::vector<float> values = ramp(123456);
  for (float& v : values) v = 1.0f / (1.0f + v);
  const Block xs(values);
  int64_t first = 0;
  for (int threads : {1, 2, 5}) {
    runtime::ThreadPool pool(threads);
    SkaldContext ctx(&pool);
    int64_t in[] = {xs.slot(), 123456}, out[2] = {};
    ASSERT_EQ(prog.entry("sum")(&ctx, in, out), 0);
    if (threads == 1) first = out[0];
    EXPECT_EQ(out[0], first);
    EXPECT_EQ(out[1], (123456 + 1023) / 1024);
  }
}

// Accumulators in scratch memory, updated by a simd loop, end up in vector registers.
TEST_F(CpuCompile, SimdLoopsBecomeVectorCode) {
  const Result<imp::Program> prog = in_lanes(R"(
entry "main" fn "main"(heap xs_1, i64 n_2) -> (heap) {
  heap out_3 = alloc(64i64);
  scratch acc_4 = alloc(64i64);
  fill(f32 acc_4[0i64], 16i64, 0f32);
  for (i64 i_5 = 0i64; i_5 < n_2; i_5 += 16i64) {
    simd for (i64 k_6 = 0i64; k_6 < 16i64; k_6 += 1i64) {
      i64 j_7 = add_i64(i_5, k_6);
      f32 x_8 = xs_1[j_7];
      f32 a_9 = acc_4[k_6];
      f32 y_10 = add_f32(a_9, x_8);
      f32 acc_4[k_6] = y_10;
    }
  }
  copy(out_3 + 0i64, acc_4 + 0i64, 64i64);
  return (out_3);
})");
  ASSERT_TRUE(prog) << prog.error();
  const Result<std::string> ll = emit_llvm(*prog);
  ASSERT_TRUE(ll);
  EXPECT_NE(ll->find("fadd <"), std::string::npos) << *ll;
  EXPECT_EQ(ll->find("fadd float"), std::string::npos) << *ll;
  const Result<CompiledProgram> compiled = compile(*prog);
  const Block xs(ramp(1600));
  SkaldContext ctx;
  int64_t in[] = {xs.slot(), 1600}, out[1] = {};
  ASSERT_EQ(compiled->entry("main")(&ctx, in, out), 0);
  const Block sums(out[0]);
  for (size_t k = 0; k < 16; ++k)
    EXPECT_EQ(sums.as<float>()[k], 16.0f * 4950.0f + 100.0f * static_cast<float>(k));
}

TEST_F(CpuCompile, AtomicsAndLocks) {
  const CompiledProgram prog = build(R"(
entry "main" fn "main"(i64 n_1) -> (heap) {
  heap b_2 = alloc(64i64);
  fill(i8 b_2[0i64], 64i64, 0i8);
  heap lock_3 = alloc(4i64);
  fill(i32 lock_3[0i64], 1i64, 0i32);
  parallel for (i_4 < n_1; grain 1i64) {
    atomic add_i64(b_2[0i64], i_4);
    atomic add_f64(b_2[1i64], 1f64);
    atomic max_i64(b_2[2i64], i_4);
    atomic (u16 b_2[12i64] as old_5) {
      u16 new_6 = add_u16(old_5, 3u16);
    } yield new_6;
    lock (lock_3[0i64]) {
      i64 x_7 = b_2[4i64];
      i64 y_8 = add_i64(x_7, 1i64);
      i64 b_2[4i64] = y_8;
    }
  }
  return (b_2);
})");
  SkaldContext ctx(&pool_);
  int64_t in[] = {20000}, out[1] = {};
  ASSERT_EQ(prog.entry("main")(&ctx, in, out), 0);
  const Block b(out[0]);
  EXPECT_EQ(b.as<int64_t>()[0], 20000ll * 19999 / 2);
  EXPECT_EQ(b.as<double>()[1], 20000.0);
  EXPECT_EQ(b.as<int64_t>()[2], 19999);
  EXPECT_EQ(b.as<uint16_t>()[12], static_cast<uint16_t>(60000));
  EXPECT_EQ(b.as<int64_t>()[4], 20000);
}

TEST_F(CpuCompile, BlocksAreCounted) {
  const CompiledProgram prog = build(R"(
fn "same"(heap b_1) -> (heap, heap) {
  return (b_1, b_1);
}
entry "main" fn "main"(heap b_2, i64 n_3) -> (heap, heap, heap) {
  heap cur_4 = b_2;
  heap kept_5 = null;
  for (i64 i_6 = 0i64; i_6 < n_3; i_6 += 1i64) {
    heap next_7 = alloc(300000i64);
    i64 next_7[0i64] = i_6;
    heap unused_8 = alloc(300000i64);
    block kept_5 = cur_4;
    block cur_4 = next_7;
    free(unused_8);
  }
  call (heap x_9, heap y_10) = "same"(cur_4);
  return (x_9, b_2, kept_5);
})");
  {
    const Block b(ramp(100000));
    SkaldContext ctx;
    int64_t in[] = {b.slot(), 3}, out[3] = {};
    ASSERT_EQ(prog.entry("main")(&ctx, in, out), 0);
    const Block x(out[0]), y(out[1]), z(out[2]);
    EXPECT_EQ(x.as<int64_t>()[0], 2);
    EXPECT_EQ(z.as<int64_t>()[0], 1);
    EXPECT_EQ(y.slot(), b.slot());
  }
}

TEST_F(CpuCompile, OnceMeansOnceInARun) {
  const CompiledProgram prog = build(R"(
once fn "table"() -> (heap, f32, bool) {
  heap b_1 = alloc(300000i64);
  i64 b_1[0i64] = 7i64;
  return (b_1, 1.5f32, true);
}
entry "main" fn "main"(heap count_2) -> (heap, heap, f32, bool) {
  call (heap x_3, f32 y_4, bool z_5) = "table"();
  i64 v_6 = x_3[0i64];
  i64 w_7 = add_i64(v_6, 1i64);
  i64 x_3[0i64] = w_7;
  call (heap p_8, f32 q_9, bool r_10) = "table"();
  return (x_3, p_8, q_9, r_10);
})");
  const Block count(ramp(1));
  for (int round = 0; round < 2; ++round) {
    SkaldContext ctx;
    int64_t in[] = {count.slot()}, out[4] = {};
    ASSERT_EQ(prog.entry("main")(&ctx, in, out), 0);
    const Block x(out[0]), p(out[1]);
    EXPECT_EQ(x.slot(), p.slot());
    EXPECT_EQ(p.as<int64_t>()[0], 8);
    EXPECT_EQ(static_cast<uint64_t>(out[2]), core::const_float(Prim::kF32, 1.5).bits);
    EXPECT_EQ(out[3], 1);
  }
}

TEST_F(CpuCompile, SmallProgramsCompileFast) {
  build(kMap);  // LLVM starts once in a process.
  const CompiledProgram prog = build(kMap);
  const CompileTimes& t = prog.times();
  RecordProperty("emit_ms", fmt::format("{:.2f}", t.emit));
  RecordProperty("optimise_ms", fmt::format("{:.2f}", t.optimise));
  RecordProperty("code_ms", fmt::format("{:.2f}", t.code));
  fmt::print("emit {:.2f} ms, optimise {:.2f} ms, code {:.2f} ms\n", t.emit, t.optimise, t.code);
}

}  // namespace
}  // namespace skald::cpu
