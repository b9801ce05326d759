// SPDX-License-Identifier: Apache-2.0
// DeviceDriver by OpenCL 1.2: opencl_driver.cpp has memory and commands, opencl_kernels.cpp
// compiles.
#pragma once

#include "runtime/device/driver.h"
#include "runtime/opencl/find_device.h"

namespace skald::runtime::cl {

class OpenClDriver : public DeviceDriver {
 public:
  OpenClDriver(const Api& api, const FoundDevice& found);
  ~OpenClDriver() override;
  OpenClDriver(const OpenClDriver&) = delete;
  OpenClDriver& operator=(const OpenClDriver&) = delete;
  Result<Unit> open();

  const DeviceFacts& facts() const override { return facts_; }
  void watch(const std::atomic<int32_t>* stop) override { stop_ = stop; }
  bool is_given_up() const override { return given_up_; }
  DeviceMemory allocate(int64_t bytes) override;
  void free(DeviceMemory memory) override;
  Result<Unit> write(DeviceMemory dest, int64_t offset, const void* from, int64_t bytes,
                     DeviceEvent* event) override;
  Result<Unit> read(std::span<const ReadPart> parts, DeviceEvent* event) override;
  Result<Unit> copy(DeviceMemory dest, int64_t dest_offset, DeviceMemory src, int64_t src_offset,
                    int64_t bytes, DeviceEvent* event) override;
  Result<Unit> fill(DeviceMemory dest, int64_t offset, int64_t count, uint64_t bits, int size,
                    DeviceEvent* event) override;
  Result<Unit> launch(DeviceKernel kernel, int64_t groups, int64_t threads,
                      std::span<const KernelArg> args, DeviceEvent* event) override;
  Result<Unit> start() override;
  Result<Unit> finish() override;
  Result<std::vector<DeviceKernel>> compile(std::span<const std::string> names,
                                            const std::string& text) override;
  Result<DeviceKernel> load(const std::string& name, const std::string& binary) override;
  std::string binary(DeviceKernel kernel) override;
  void release(DeviceKernel kernel) override;
  Result<Unit> set_profiling(bool on) override;
  CommandTimes times(DeviceEvent event) override;

 private:
  static Result<Unit> done(Int code, const char* what);
  Result<Unit> make_queue(Bitfield properties);
  // Waits for all commands as long as nobody says stop, before a call that cannot be stopped.
  Result<Unit> wait_if_watched();
  // Takes the program over.
  Result<std::vector<DeviceKernel>> build(Program program, std::span<const std::string> names);

  const Api& api_;
  DeviceId device_;
  DeviceFacts facts_;
  std::string options_;  // for the compiler
  Context context_ = nullptr;
  Queue queue_ = nullptr;
  const std::atomic<int32_t>* stop_ = nullptr;
  std::atomic<bool> given_up_ = false;
};

}  // namespace skald::runtime::cl
