// SPDX-License-Identifier: Apache-2.0
#include "compile/device/measure_device.h"

#include <algorithm>
#include <chrono>
#include <functional>

namespace skald::compile {

namespace {

using Clock = std::chrono::steady_clock;
using runtime::DeviceMemory;

// For each of the three numbers.
constexpr double kMeasuredSeconds = 0.15;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The least time of one, of batches of so many: whatever else runs on the machine makes it longer.
Result<double> least_seconds(runtime::DeviceDriver& driver, int batch,
                             const std::function<Result<Unit>()>& once) {
  double least = 0;
  // The first one compiles and touches memory.
  if (Result<Unit> done = once(); !done) return done.failure();
  if (Result<Unit> done = driver.finish(); !done) return done.failure();
  for (const Clock::time_point begin = Clock::now(); seconds_since(begin) < kMeasuredSeconds;) {
    const Clock::time_point started = Clock::now();
    for (int k = 0; k < batch; ++k)
      if (Result<Unit> done = once(); !done) return done.failure();
    if (Result<Unit> done = driver.finish(); !done) return done.failure();
    const double each = seconds_since(started) / batch;
    least = least == 0 ? each : std::min(least, each);
  }
  return least;
}

Result<double> measure_copies(runtime::DeviceDriver& driver) {
  constexpr int64_t kMostBytes = int64_t{512} << 20, kLeastBytes = 16 << 20;
  // Much of the memory of a cpu that is a device is not free.
  const int64_t known = driver.facts().is_gpu ? driver.facts().memory / 8 : 64 << 20;
  const int64_t bytes = std::clamp(known, kLeastBytes, kMostBytes);
  constexpr int kCopies = 4;
  const DeviceMemory from = driver.allocate(bytes);
  const DeviceMemory to = from == nullptr ? nullptr : driver.allocate(bytes);
  Result<double> seconds = Failure("the device has no memory left to measure with");
  if (to != nullptr) {
    const Result<Unit> filled = driver.fill(from, 0, bytes / 4, 1, 4, nullptr);
    seconds = !filled ? Result<double>(filled.failure()) : least_seconds(driver, kCopies, [&] {
      return driver.copy(to, 0, from, 0, bytes, nullptr);
    });
  }
  if (to != nullptr) driver.free(to);
  if (from != nullptr) driver.free(from);
  if (!seconds) return seconds;
  return 2 * static_cast<double>(bytes) / *seconds;
}

}  // namespace

machine::DeviceModel device_model(const runtime::DeviceFacts& facts, std::string_view backend) {
  return {.name = facts.name,
          .backend = std::string(backend),
          .driver = facts.driver,
          .identity = facts.identity,
          .is_gpu = facts.is_gpu,
          .has_f64 = facts.has_f64,
          .compute_units = facts.compute_units,
          .clock_mhz = facts.clock_mhz,
          .warp = facts.warp,
          .group_threads = facts.group_threads,
          .memory = facts.memory,
          .group_memory = facts.local_memory,
          .l2 = facts.cache};
}

Result<std::vector<machine::DeviceModel>> device_models(
    const Result<std::vector<runtime::DeviceFacts>>& all, std::string_view backend) {
  if (!all) return all.failure();
  std::vector<machine::DeviceModel> models;
  for (const runtime::DeviceFacts& facts : *all) models.push_back(device_model(facts, backend));
  return models;
}

Result<machine::DeviceTimes> measure_device(runtime::DeviceDriver& driver,
                                            const EmptyKernel& kernel) {
  constexpr int kLaunches = 50;
  constexpr double kMicro = 1e6;
  machine::DeviceTimes times;
  const Result<double> bandwidth = measure_copies(driver);
  if (!bandwidth) return bandwidth.failure();
  times.bandwidth = *bandwidth;
  const std::string names[] = {kernel.name};
  const Result<std::vector<runtime::DeviceKernel>> compiled = driver.compile(names, kernel.text);
  if (!compiled) return compiled.failure();
  const DeviceMemory memory = driver.allocate(64);
  const runtime::KernelArg args[] = {{runtime::KernelArg::Kind::kMemory, memory, 0}};
  const auto launch = [&] { return driver.launch((*compiled)[0], 1, 32, args, nullptr); };
  const Result<double> among_many = least_seconds(driver, kLaunches, launch);
  const Result<double> alone = !among_many ? among_many : least_seconds(driver, 1, launch);
  driver.free(memory);
  driver.release((*compiled)[0]);
  if (!alone) return alone.failure();
  times.launch_us = *among_many * kMicro;
  times.round_trip_us = *alone * kMicro;
  return times;
}

}  // namespace skald::compile
