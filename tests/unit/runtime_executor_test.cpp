// SPDX-License-Identifier: Apache-2.0
// Host code as bytecode, on a device that is the host's memory.
#include <gtest/gtest.h>

#include "codegen/clike/device_program.h"
#include "codegen/clike/host_operators.h"
#include "codegen/opencl/dialect.h"
#include "imp/text/parse.h"
#include "imp/verify/verify.h"
#include "runtime/block.h"
#include "runtime/executor/executor.h"
#include "runtime/executor/program_bytes.h"
#include "runtime_device_util.h"

namespace skald::runtime {
namespace {

struct Outcome {
  // What run said when it failed.
  std::string problem;
  std::vector<int64_t> out;
  std::optional<RunError> error;
  clike::CompiledProgram code;
};

DiskCache no_cache() {
  return DiskCache({}, 0);
}

Outcome run(std::string_view text, std::vector<int64_t> in, size_t results) {
  Result<imp::Program> prog = imp::parse(text);
  EXPECT_TRUE(prog) << (prog ? "" : prog.error());
  if (!prog) return {.problem = "does not parse"};
  imp::verify_or_bug(*prog, "parsing");
  Outcome outcome{.out = std::vector<int64_t>(results)};
  outcome.code = clike::compile(*prog, opencl::kDialect);
  // There and back, as if it came from a cache.
  Result<DeviceProgram> program = device_program_from_bytes(to_bytes(outcome.code.program));
  EXPECT_TRUE(program) << (program ? "" : program.error());
  const std::unique_ptr<Device> device = open_host_device(std::make_shared<HostDriver>());
  Result<std::unique_ptr<LoadedProgram>> loaded =
      LoadedProgram::load(std::move(*program), *device, clike::find_host_operator, no_cache());
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error());
  SkaldContext context;
  Executor executor(**loaded, context);
  const Result<Unit> done = executor.run("main", in, outcome.out);
  if (!done) outcome.problem = done.error();
  outcome.error = context.errors.error();
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
  EXPECT_EQ(outcome.problem, "");
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
  EXPECT_NE(outcome.problem, "");
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
  EXPECT_EQ(outcome.problem, "");
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
  EXPECT_NE(outcome.problem, "");
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->values[0], 7);
  ASSERT_EQ(outcome.error->frame_count, 1);
  EXPECT_EQ(outcome.error->frames[0], 2);
  ASSERT_EQ(outcome.code.failures.size(), 1u);
}

constexpr std::string_view kLength = R"(
entry "main" fn "main"(device b_1, i64 n_2) -> (i64) {
  return (n_2);
}
)";

TEST(Executor, BlocksOfTheHostAreRefused) {
  SkaldBlock* block = allocate_block(8);
  const Outcome outcome = run(kLength, {reinterpret_cast<intptr_t>(block), 1}, 1);
  skald_rt_release(block);
  EXPECT_NE(outcome.problem.find("no block of its device"), std::string::npos) << outcome.problem;
  EXPECT_FALSE(outcome.error);
}

TEST(Executor, WrongNumbersOfSlotsAreRefused) {
  EXPECT_NE(run(kFib, {1, 2}, 1).problem.find("takes 1 slots"), std::string::npos);
  EXPECT_NE(run(kFib, {1}, 3).problem, "");
}

// ---- programs as bytes

constexpr std::string_view kLaunches = R"(
entry "main" fn "main"(device b_1, i64 n_2) -> (device) {
  launch (group_3 < n_2; thread_4 < 1i64; scratch 0i64) {
    i64 x_5 = b_1[group_3];
    i64 y_6 = add_i64(x_5, 1i64);
    i64 b_1[group_3] = y_6;
  }
  bool large_7 = lt_i64(10i64, n_2);
  if (large_7) {
    launch (group_8 < n_2; thread_9 < 1i64; scratch 0i64) {
      i64 b_1[group_8] = 0i64;
    }
  }
  for (i64 i_10 = 0i64; i_10 < n_2; i_10 += 1i64) {
    launch (group_11 < n_2; thread_12 < 1i64; scratch 0i64) {
      i64 b_1[group_11] = i_10;
    }
  }
  return (b_1);
}
)";

DeviceProgram compile(std::string_view text) {
  Result<imp::Program> prog = imp::parse(text);
  SKALD_CHECK(static_cast<bool>(prog), "{}", prog.error());
  return clike::compile(*prog, opencl::kDialect).program;
}

TEST(DeviceProgramBytes, AnotherVersionIsAnError) {
  std::string bytes = to_bytes(compile(kLaunches));
  ASSERT_TRUE(device_program_from_bytes(bytes));
  const size_t version = bytes.find("program 3");
  ASSERT_NE(version, std::string::npos);
  bytes[version + 8] = '0';
  const Result<DeviceProgram> read = device_program_from_bytes(bytes);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().find("another version"), std::string::npos);
  EXPECT_FALSE(device_program_from_bytes(""));
  EXPECT_FALSE(device_program_from_bytes("nonsense"));
}

// Whatever the bytes are, reading ends, and what is read is written the same way.
TEST(DeviceProgramBytes, DamagedBytesAreAnErrorOrAProgram) {
  for (const std::string_view text : {kLaunches, kFib}) {
    const std::string whole = to_bytes(compile(text));
    for (size_t length = 0; length < whole.size(); length += 7)
      EXPECT_FALSE(device_program_from_bytes(std::string_view(whole).substr(0, length)));
    uint64_t random = 1;
    for (int round = 0; round < 5000; ++round) {
      std::string bytes = whole;
      for (int k = 0; k < 3; ++k) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        bytes[(random >> 33) % bytes.size()] = static_cast<char>(random >> 24);
      }
      const Result<DeviceProgram> read = device_program_from_bytes(bytes);
      EXPECT_TRUE(!read || device_program_from_bytes(to_bytes(*read)));
    }
  }
}

TEST(DeviceProgramBytes, NumbersMustNameWhatExists) {
  DeviceProgram program = compile(kFib);
  program.functions[0].code[0].dst = program.functions[0].registers;
  EXPECT_FALSE(device_program_from_bytes(to_bytes(program)));
  program = compile(kLaunches);
  program.launches[0].kernel = 3;
  EXPECT_FALSE(device_program_from_bytes(to_bytes(program)));
}

// ---- kernels

TEST(LoadedProgram, KernelsThatAreSureToRun) {
  const DeviceProgram program = compile(kLaunches);
  ASSERT_EQ(program.kernels.units.size(), 3u);
  EXPECT_EQ(sure_kernels(program, program.entries[0].function, 0), (std::vector<int32_t>{0, 2}));
  // Where the branch is taken, its kernel is sure too.
  const auto function = program.entries[0].function;
  const std::vector<Instruction>& code = program.functions[static_cast<size_t>(function)].code;
  const auto taken = std::ranges::find_if(code, [&](const Instruction& i) {
    return i.op == Op::kLaunch && program.launches[static_cast<size_t>(i.imm)].kernel == 1;
  });
  ASSERT_NE(taken, code.end());
  EXPECT_EQ(sure_kernels(program, function, static_cast<size_t>(taken - code.begin())),
            (std::vector<int32_t>{1, 2}));
}

TEST(LoadedProgram, KernelsThatDoTheSameHaveOneText) {
  const DeviceProgram program = compile(R"(
entry "main" fn "main"(device b_1, i64 n_2) -> (device) {
  launch (group_3 < n_2; thread_4 < 1i64; scratch 0i64) {
    i64 x_5 = b_1[group_3];
    i64 y_6 = add_i64(x_5, 1i64);
    i64 b_1[group_3] = y_6;
  }
  launch (row_8 < n_2; lane_9 < 1i64; scratch 0i64) {
    i64 y_10 = b_1[row_8];
    i64 z_7 = add_i64(y_10, 1i64);
    i64 b_1[row_8] = z_7;
  }
  launch (row_11 < n_2; lane_12 < 1i64; scratch 0i64) {
    i64 y_13 = b_1[row_11];
    i64 z_14 = add_i64(y_13, 2i64);
    i64 b_1[row_11] = z_14;
  }
  return (b_1);
}
)");
  const std::vector<KernelUnit>& units = program.kernels.units;
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(units[0].same_as, -1);
  EXPECT_EQ(units[1].same_as, 0);
  EXPECT_TRUE(units[1].text.empty());
  EXPECT_EQ(units[2].same_as, -1);
  // A unit stands for one that has a text.
  DeviceProgram broken = program;
  broken.kernels.units[2].same_as = 1;
  EXPECT_FALSE(device_program_from_bytes(to_bytes(broken)));
  EXPECT_TRUE(device_program_from_bytes(to_bytes(program)));
}

TEST(LoadedProgram, UnknownOperatorsAreAnError) {
  DeviceProgram program = compile(kFib);
  const std::unique_ptr<Device> device = open_host_device(std::make_shared<HostDriver>());
  const auto none = [](std::string_view) { return HostOperator{}; };
  EXPECT_TRUE(LoadedProgram::load(program, *device, none, no_cache()));
  program.functions[0].code[0].op = Op::kUnary;
  program.functions[0].code[0].imm = 0;
  program.operators = {"guess_i64"};
  EXPECT_FALSE(LoadedProgram::load(program, *device, clike::find_host_operator, no_cache()));
}

TEST(LoadedProgram, AKernelHasOnlyWhatItNeeds) {
  const DeviceProgram program = compile(kLaunches);
  for (int32_t k = 0; k < 3; ++k) {
    const std::string text = program.kernels.source(std::span(&k, 1));
    const std::string& name = program.kernels.units[static_cast<size_t>(k)].name;
    EXPECT_NE(text.find("void " + name + "("), std::string::npos);
    EXPECT_EQ(text.find("sk_alloc"), std::string::npos);
    EXPECT_EQ(text.find("sk_fail"), std::string::npos);
  }
}

TEST(Executor, AKernelThatDoesNotCompileIsAnError) {
  DeviceProgram program = compile(kLaunches);
  program.kernels.units[0].text = "nonsense";
  const std::unique_ptr<Device> device = open_host_device(std::make_shared<HostDriver>());
  const auto loaded = LoadedProgram::load(program, *device, clike::find_host_operator, no_cache());
  ASSERT_TRUE(loaded);
  SkaldBlock* block = device->allocate(8);
  SkaldContext context;
  Executor executor(**loaded, context);
  int64_t out = 0;
  const Result<Unit> done =
      executor.run("main", std::vector<int64_t>{reinterpret_cast<intptr_t>(block), 1}, {&out, 1});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error(), "`nonsense` does not compile");
  EXPECT_FALSE(device->has_problem());
  skald_rt_release(block);
}

}  // namespace
}  // namespace skald::runtime
