// SPDX-License-Identifier: Apache-2.0
// A driver whose device is the host's memory, for tests of what lies above drivers.  Kernels are
// whatever the test does when one is launched.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/device/device.h"

namespace skald::runtime {

class HostDriver : public DeviceDriver {
 public:
  using OnLaunch =
      std::function<void(const std::string& kernel, int64_t groups, std::span<const KernelArg>)>;

  static char* bytes_of(DeviceMemory memory) { return reinterpret_cast<char*>(memory); }

  const DeviceFacts& facts() const override { return device_facts; }
  void watch(const std::atomic<int32_t>* word) override { stop = word; }
  bool is_given_up() const override { return given_up; }
  DeviceMemory allocate(int64_t bytes) override {
    if (bytes > most_bytes || allocations >= most_allocations) return nullptr;
    ++allocations;
    return reinterpret_cast<DeviceMemory>(new char[static_cast<size_t>(bytes)]);
  }
  void free(DeviceMemory memory) override {
    --allocations;
    delete[] bytes_of(memory);
  }
  Result<Unit> write(DeviceMemory dest, int64_t offset, const void* from, int64_t bytes,
                     DeviceEvent* event) override {
    std::memcpy(bytes_of(dest) + offset, from, static_cast<size_t>(bytes));
    return note(event);
  }
  Result<Unit> read(std::span<const ReadPart> parts, DeviceEvent* event) override {
    ++reads;
    // A device that never ends.
    if (stop != nullptr && *stop != 0) given_up = true;
    if (given_up) return Failure("it is still at work");
    for (const ReadPart& part : parts)
      std::memcpy(part.to, bytes_of(part.src) + part.offset, static_cast<size_t>(part.bytes));
    return note(event);
  }
  Result<Unit> copy(DeviceMemory dest, int64_t dest_offset, DeviceMemory src, int64_t src_offset,
                    int64_t bytes, DeviceEvent* event) override {
    std::memmove(bytes_of(dest) + dest_offset, bytes_of(src) + src_offset,
                 static_cast<size_t>(bytes));
    return note(event);
  }
  Result<Unit> fill(DeviceMemory dest, int64_t offset, int64_t count, uint64_t bits, int size,
                    DeviceEvent* event) override {
    for (int64_t k = 0; k < count; ++k)
      std::memcpy(bytes_of(dest) + offset + k * size, &bits, static_cast<size_t>(size));
    return note(event);
  }
  Result<Unit> launch(DeviceKernel kernel, int64_t groups, int64_t, std::span<const KernelArg> args,
                      DeviceEvent* event) override {
    if (!broken.empty()) return Failure(broken);
    if (on_launch) on_launch(*reinterpret_cast<std::string*>(kernel), groups, args);
    return note(event);
  }
  Result<Unit> finish() override { return Unit{}; }
  Result<std::vector<DeviceKernel>> compile(std::span<const std::string> names,
                                            const std::string& text) override {
    const std::lock_guard lock(mutex);
    ++compilations;
    compiled.insert(compiled.end(), names.begin(), names.end());
    if (text.find("nonsense") != std::string::npos) return Failure("`nonsense` does not compile");
    std::vector<DeviceKernel> kernels;
    for (const std::string& name : names)
      kernels.push_back(reinterpret_cast<DeviceKernel>(new std::string(name)));
    return kernels;
  }
  Result<DeviceKernel> load(const std::string& name, const std::string& binary) override {
    if (binary != "binary of " + name) return Failure("no binary of this kernel");
    return reinterpret_cast<DeviceKernel>(new std::string(name));
  }
  std::string binary(DeviceKernel kernel) override {
    return "binary of " + *reinterpret_cast<std::string*>(kernel);
  }
  void release(DeviceKernel kernel) override { delete reinterpret_cast<std::string*>(kernel); }
  Result<Unit> set_profiling(bool on) override {
    profiling = on;
    return Unit{};
  }
  CommandTimes times(DeviceEvent) override {
    --open_events;
    return {1, 2};
  }

  DeviceFacts device_facts{.name = "the host", .identity = "host"};
  OnLaunch on_launch;
  std::string broken;  // what every launch fails with
  int64_t most_bytes = int64_t{1} << 30;
  int most_allocations = 1 << 30;
  int allocations = 0, open_events = 0;
  int compilations = 0;
  int reads = 0;
  const std::atomic<int32_t>* stop = nullptr;
  bool given_up = false;
  bool profiling = false;
  std::mutex mutex;
  std::vector<std::string> compiled;

 private:
  Result<Unit> note(DeviceEvent* event) {
    if (event == nullptr) return Unit{};
    ++open_events;
    *event = reinterpret_cast<DeviceEvent>(this);
    return Unit{};
  }
};

inline std::unique_ptr<Device> open_host_device(const std::shared_ptr<HostDriver>& driver) {
  Result<std::unique_ptr<Device>> device = Device::open(driver);
  SKALD_CHECK(static_cast<bool>(device), "the host is no device");
  return std::move(*device);
}

}  // namespace skald::runtime
