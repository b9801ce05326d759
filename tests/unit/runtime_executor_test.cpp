// SPDX-License-Identifier: Apache-2.0
// Host code as bytecode, without a device.
#include <gtest/gtest.h>

#include "codegen/clike/device_program.h"
#include "codegen/opencl/dialect.h"
#include "imp/text/parse.h"
#include "imp/verify/verify.h"
#include "runtime/executor/executor.h"

namespace skald::runtime {
namespace {

// Whoever uses it made a mistake.
class NoDevice : public Device {
 public:
  SkaldBlock* allocate(int64_t) override { return nullptr; }
  void write(const SkaldBlock*, int64_t, const void*, int64_t) override { used = true; }
  void read(const SkaldBlock*, int64_t, void*, int64_t) override { used = true; }
  void copy(const SkaldBlock*, int64_t, const SkaldBlock*, int64_t, int64_t) override {
    used = true;
  }
  void fill(const SkaldBlock*, int64_t, int64_t, uint64_t, int) override { used = true; }
  void launch(const DeviceLaunch&) override { used = true; }
  std::optional<RunError> failure() override { return std::nullopt; }
  std::string problem() const override { return {}; }
  bool used = false;
};

struct Outcome {
  int32_t status = 0;
  std::vector<int64_t> out;
  std::optional<RunError> error;
  clike::CompiledProgram code;
};

Outcome run(std::string_view text, std::vector<int64_t> in, size_t results) {
  Result<imp::Program> prog = imp::parse(text);
  EXPECT_TRUE(prog) << (prog ? "" : prog.error());
  if (!prog) return {.status = -1};
  imp::verify_or_bug(*prog, "parsing");
  Outcome outcome{.out = std::vector<int64_t>(results)};
  outcome.code = clike::compile(*prog, opencl::kDialect);
  NoDevice device;
  SkaldContext context;
  Executor executor(outcome.code.program, device, context);
  outcome.status = executor.run("main", in.data(), outcome.out.data());
  outcome.error = context.errors.error();
  EXPECT_FALSE(device.used);
  return outcome;
}

constexpr std::string_view kFib = R"(loc 1 "a.fut:1:1";
fn "fib"(i64 n_1) -> (i64) {
  var i64 result_2 = n_1;
  bool large_3 = lt_i64(1i64, n_1);
  if (large_3) {
    i64 a_4 = sub_i64(n_1, 1i64);
    i64 b_5 = sub_i64(n_1, 2i64);
    call (i64 x_6) = "fib"(a_4) @1;
    call (i64 y_7) = "fib"(b_5) @1;
    i64 sum_8 = add_i64(x_6, y_7);
    result_2 = sum_8;
  }
  return (result_2);
}
entry "main" fn "main"(i64 n_9) -> (i64) {
  call (i64 r_10) = "fib"(n_9) @1;
  return (r_10);
}
)";

TEST(Executor, CallsItself) {
  const Outcome outcome = run(kFib, {20}, 1);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out[0], 6765);
}

TEST(Executor, EndlessRecursionIsAnError) {
  const Outcome outcome = run(R"(
fn "f"(i64 n_1) -> (i64) {
  call (i64 x_2) = "f"(n_1);
  return (x_2);
}
entry "main" fn "main"(i64 n_3) -> (i64) {
  call (i64 x_4) = "f"(n_3);
  return (x_4);
}
)",
                              {1}, 1);
  EXPECT_EQ(outcome.status, 1);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->id, SKALD_RT_STACK_OVERFLOW);
}

TEST(Executor, LoopsOverBlocksOfTheHost) {
  const Outcome outcome = run(R"(
entry "main" fn "main"(i64 n_1) -> (i64) {
  i64 bytes_2 = mul_i64(n_1, 2i64);
  heap b_3 = alloc(bytes_2);
  for (i16 i_4 = 0i16; i_4 < 10i16; i_4 += 1i16) {
    i64 at_5 = convert(i16, i64, i_4);
    i16 x_6 = mul_i16(i_4, -3i16);
    i16 b_3[at_5] = x_6;
  }
  var i64 sum_7 = 0i64;
  var i64 k_8 = 0i64;
  var bool more_9 = true;
  while (more_9) {
    i16 x_10 = b_3[k_8];
    i64 y_11 = convert(i16, i64, x_10);
    i64 s_12 = add_i64(sum_7, y_11);
    sum_7 = s_12;
    i64 n_13 = add_i64(k_8, 1i64);
    k_8 = n_13;
    bool m_14 = lt_i64(n_13, n_1);
    more_9 = m_14;
  }
  return (sum_7);
}
)",
                              {10}, 1);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out[0], -135);
}

TEST(Executor, FailuresSayWhereAndWhat) {
  const Outcome outcome = run(R"(loc 1 "a.fut:1:1";
loc 2 "a.fut:2:2";
fn "f"(i64 n_1) -> (i64) {
  bool small_2 = lt_i64(n_1, 5i64);
  check(small_2, "Too large: ", n_1) @1;
  return (n_1);
}
entry "main" fn "main"(i64 n_3) -> (i64) {
  call (i64 x_4) = "f"(n_3) @2;
  return (x_4);
}
)",
                              {7}, 1);
  EXPECT_EQ(outcome.status, 1);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->values[0], 7);
  ASSERT_EQ(outcome.error->frame_count, 1);
  EXPECT_EQ(outcome.error->frames[0], 2);
  ASSERT_EQ(outcome.code.failures.size(), 1u);
}

}  // namespace
}  // namespace skald::runtime
