// SPDX-License-Identifier: Apache-2.0
// Programs on whatever OpenCL device there is.  Each test runs in a process of its own: drivers
// bring their own compilers, and other tests here use ours.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>

#include "codegen/clike/device_program.h"
#include "codegen/clike/host_operators.h"
#include "codegen/opencl/dialect.h"
#include "imp/text/parse.h"
#include "imp/verify/verify.h"
#include "runtime/device/transfer.h"
#include "runtime/executor/executor.h"
#include "runtime/opencl/opencl_device.h"
#include "runtime/values/entry_call.h"

namespace skald::runtime {
namespace {

constexpr std::string_view kSaxpy = R"(
entry "saxpy" fn "entry_saxpy"(f32 a_1, device x_2, i64 n_3, device y_4, i64 m_5) -> (device, i64) {
  bool same_6 = eq_i64(n_3, m_5);
  check(same_6, "lengths differ: ", n_3, " ", m_5);
  i64 bytes_7 = mul_i64(n_3, 4i64);
  device out_8 = alloc(bytes_7);
  i64 more_9 = add_i64(n_3, 255i64);
  i64 groups_10 = quot_i64(more_9, 256i64);
  launch (group_11 < groups_10; thread_12 < 256i64; scratch 0i64) {
    i64 first_13 = mul_i64(group_11, 256i64);
    i64 i_14 = add_i64(first_13, thread_12);
    bool inside_15 = lt_i64(i_14, n_3);
    if (inside_15) {
      f32 p_16 = x_2[i_14];
      f32 q_17 = y_4[i_14];
      f32 r_18 = mul_f32(a_1, p_16);
      f32 s_19 = add_f32(r_18, q_17);
      f32 out_8[i_14] = s_19;
    }
  }
  return (out_8, n_3);
}
)";

// Ends the process with an error unless `fine`.
void must(bool fine, const std::string& what) {
  if (fine) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::_Exit(1);
}
template <class T>
T value_of(Result<T> result, const char* what) {
  must(static_cast<bool>(result), fmt::format("{}: {}", what, result ? "" : result.error()));
  return std::move(*result);
}

struct Saxpy {
  std::unique_ptr<Device> device = value_of(open_opencl_device(), "no device");
  std::unique_ptr<LoadedProgram> program = value_of(
      LoadedProgram::load(compiled(), *device, clike::find_host_operator, DiskCache({}, 0)),
      "not loaded");

  static DeviceProgram compiled() {
    const imp::Program prog = value_of(imp::parse(kSaxpy), "does not parse");
    imp::verify_or_bug(prog, "parsing");
    return clike::compile(prog, opencl::kDialect).program;
  }

  Result<Value> call(float a, const Value& x, const Value& y) {
    const std::vector<Value> args = {
        value_of(Value::scalar(Prim::kF32, std::bit_cast<uint32_t>(a)), "no memory"), x, y};
    std::vector<int64_t> out(2);
    SkaldContext context;
    Executor executor(*program, context);
    Result<Unit> done = executor.run("saxpy", pack_slots(args), out);
    if (!done) return done.failure();
    const ValueType type{Prim::kF32, 1};
    return unpack_slots(std::span(&type, 1), out)->front();
  }
};

Value numbers(int64_t n, float first) {
  Value value = value_of(Value::allocate(Prim::kF32, {n}), "no memory");
  for (int64_t k = 0; k < n; ++k)
    value.elements<float>()[static_cast<size_t>(k)] = first + static_cast<float>(k);
  return value;
}

// Arrays that are on the device stay there.
void ten_calls() {
  Saxpy saxpy;
  const int64_t n = 10000;
  const Value x = value_of(upload(*saxpy.device, numbers(n, 0)), "upload");
  Value y = value_of(upload(*saxpy.device, numbers(n, 1)), "upload");
  saxpy.device->set_profiling(true);
  for (int round = 0; round < 10; ++round) y = value_of(saxpy.call(2, x, y), "call");
  int launches = 0, compiled = 0;
  for (const ProfileEvent& event : saxpy.device->take_events()) {
    must(event.kind != EventKind::kToDevice && event.kind != EventKind::kFromDevice,
         "an array was moved");
    must(event.duration_ns >= 0 && event.start_ns >= 0, "a time is negative");
    if (event.kind == EventKind::kLaunch) ++launches;
    if (event.kind == EventKind::kCompile) ++compiled;
  }
  must(launches == 10, fmt::format("{} launches", launches));
  must(compiled == 1, fmt::format("{} kernels compiled", compiled));
  const Value result = value_of(download(*saxpy.device, y), "download");
  for (int64_t k = 0; k < n; ++k)
    must(result.elements<float>()[static_cast<size_t>(k)] == static_cast<float>(21 * k + 1),
         "a wrong result");
  const std::vector<ProfileEvent> last = saxpy.device->take_events();
  must(last.size() == 1 && last[0].kind == EventKind::kFromDevice && last[0].bytes == 4 * n,
       "reading is an event");
  std::_Exit(0);
}

// Mistakes of the caller and of the program are errors, and the device goes on.
void mistakes() {
  Saxpy saxpy;
  const Value here = numbers(10, 0);
  const Value there = value_of(upload(*saxpy.device, here), "upload");
  const Value longer = value_of(upload(*saxpy.device, numbers(11, 0)), "upload");
  must(!saxpy.call(1, here, there), "a block of the host");
  must(!saxpy.call(1, there, longer), "a failing check");
  must(static_cast<bool>(saxpy.call(1, there, there)), "a call after mistakes");
  // The result outlives device and program.
  Value kept = value_of(saxpy.call(1, there, there), "call");
  saxpy.program.reset();
  saxpy.device.reset();
  kept = here;
  std::_Exit(0);
}

constexpr int kNoDevice = 77;

// Runs it in another process; skips the test where there is no device.
void in_other_process(void (*test)()) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  bool skipped = false;
  const auto fine = [&](int status) {
    skipped = WIFEXITED(status) && WEXITSTATUS(status) == kNoDevice;
    return skipped || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
  };
  const auto run = [&] {
    if (!find_opencl_device()) std::_Exit(kNoDevice);
    test();
  };
  EXPECT_EXIT(run(), fine, "");
  if (skipped) GTEST_SKIP() << "there is no OpenCL device";
}

TEST(OpenClDevice, CallsMoveNoArrays) {
  in_other_process(ten_calls);
}

TEST(OpenClDevice, MistakesAreErrors) {
  in_other_process(mistakes);
}

}  // namespace
}  // namespace skald::runtime
