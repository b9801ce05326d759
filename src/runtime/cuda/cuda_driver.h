// SPDX-License-Identifier: Apache-2.0
// DeviceDriver by CUDA: cuda_driver.cpp has memory and commands, cuda_kernels.cpp compiles.
//
// All commands go to one stream.  CUDA keeps the current context with each thread, so every
// function sets it first.
#pragma once

#include "runtime/cuda/find_device.h"
#include "runtime/device/driver.h"

namespace skald::runtime::cuda {

class CudaDriver : public DeviceDriver {
 public:
  CudaDriver(const Api& api, FoundDevice found);
  ~CudaDriver() override;
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;
  Result<Unit> open();

  const DeviceFacts& facts() const override { return facts_; }
  DeviceMemory allocate(int64_t bytes) override;
  void free(DeviceMemory memory) override;
  Result<Unit> write(DeviceMemory dest, int64_t offset, const void* from, int64_t bytes,
                     DeviceEvent* event) override;
  Result<Unit> read(DeviceMemory src, int64_t offset, void* to, int64_t bytes,
                    DeviceEvent* event) override;
  Result<Unit> copy(DeviceMemory dest, int64_t dest_offset, DeviceMemory src, int64_t src_offset,
                    int64_t bytes, DeviceEvent* event) override;
  Result<Unit> fill(DeviceMemory dest, int64_t offset, int64_t count, uint64_t bits, int size,
                    DeviceEvent* event) override;
  Result<Unit> launch(DeviceKernel kernel, int64_t groups, int64_t threads,
                      std::span<const KernelArg> args, DeviceEvent* event) override;
  Result<Unit> finish() override;
  Result<std::vector<DeviceKernel>> compile(std::span<const std::string> names,
                                            const std::string& text) override;
  Result<DeviceKernel> load(const std::string& name, const std::string& binary) override;
  std::string binary(DeviceKernel kernel) override;
  void release(DeviceKernel kernel) override;
  Result<Unit> set_profiling(bool on) override;
  CommandTimes times(DeviceEvent event) override;

 private:
  Result<Unit> done(Status code, const char* what) const;
  void enter() const { api_.set_context(context_); }
  // A command between two events, if somebody wants to know its time.
  template <class Command>
  Result<Unit> timed(DeviceEvent* event, const char* what, const Command& command);
  Result<std::vector<DeviceKernel>> load_all(std::span<const std::string> names,
                                             const std::string& cubin);

  const Api& api_;
  FoundDevice found_;
  DeviceFacts facts_;
  int architecture_;
  bool profiling_ = false;
  Context context_ = nullptr;
  Stream stream_ = nullptr;
};

}  // namespace skald::runtime::cuda
