// SPDX-License-Identifier: Apache-2.0
// DeviceDriver by CUDA: cuda_driver.cpp has memory and commands, cuda_read.cpp what is read and
// waited for, cuda_launch.cpp launches, cuda_kernels.cpp compiles.
//
// All commands go to one stream.  CUDA keeps the current context with each thread: whoever gives
// commands sets it once (use_on_this_thread), the other functions set it themselves.
#pragma once

#include <memory>
#include <mutex>

#include "runtime/cuda/find_device.h"
#include "runtime/cuda/handles.h"
#include "runtime/cuda/helper_kernels.h"
#include "runtime/cuda/launch_chains.h"
#include "runtime/cuda/replays.h"
#include "runtime/cuda/staging.h"
#include "runtime/device/driver.h"

namespace skald::runtime::cuda {

// Can these be reported by the device itself (helper_kernels.h)?
bool is_report(std::span<const ReadPart> parts);

class CudaDriver : public DeviceDriver {
 public:
  CudaDriver(const Api& api, FoundDevice found);
  ~CudaDriver() override;
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;
  Result<Unit> open();

  const DeviceFacts& facts() const override { return facts_; }
  void use_on_this_thread() override { enter(); }
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
  Result<Unit> flush() override;
  Result<Unit> start() override;
  Result<Unit> finish() override;
  void set_collecting(bool on) override { collecting_ = on; }
  Result<std::vector<DeviceKernel>> compile(std::span<const std::string> names,
                                            const std::string& text) override;
  Result<DeviceKernel> load(const std::string& name, const std::string& binary) override;
  std::string binary(DeviceKernel kernel) override;
  void release(DeviceKernel kernel) override;
  Result<Unit> set_profiling(bool on) override;
  CommandTimes times(DeviceEvent event) override;
  // For tests.
  const LaunchChains* chains() const { return chains_.get(); }
  const Replays* replays() const { return replays_.get(); }
  // So many small reads are copies: loading the helpers takes longer than a few of them.
  static constexpr int64_t kCopiedReads = 16;

 private:
  Result<Unit> done(Status code, const char* what) const;
  void enter() const { api_.set_context(context_); }
  // Waits for all commands, as long as nobody says stop.
  Result<Unit> wait();
  // The kernels of helper_kernels.h, when they are first needed.
  Result<Unit> open_helpers();
  Status read_parts(std::span<const ReadPart> parts);
  // Small reads: the device writes to the host's memory, and the host looks there until it has.
  bool may_report(std::span<const ReadPart> parts);
  Result<Unit> read_by_report(std::span<const ReadPart> parts);
  Result<Unit> wait_for_ticket(uint64_t ticket);
  // Would a launch be kept for a chain, or for a replay?
  bool collects() const;
  bool replays_next() const;
  Result<Unit> give(const KernelLaunch& launch, std::span<const KernelArg> args,
                    DeviceEvent* event);
  // One of our own kernels: to, count, and what is filled in or where it comes from.
  Result<Unit> give_helper(Function helper, Address to, uint64_t count, uint64_t other,
                           DeviceEvent* event);
  // A command between two events, if somebody wants to know its time.
  template <class Command>
  Result<Unit> timed(DeviceEvent* event, const char* what, const Command& command);
  Result<std::vector<DeviceKernel>> load_all(std::span<const std::string> names,
                                             const std::string& code);

  const Api& api_;
  FoundDevice found_;
  DeviceFacts facts_;
  int architecture_;
  bool profiling_ = false, collecting_ = true;
  Context context_ = nullptr;
  Stream stream_ = nullptr;
  const std::atomic<int32_t>* stop_ = nullptr;
  std::atomic<bool> given_up_ = false;

  std::unique_ptr<Staging> staging_;
  HelperKernels helpers_;
  bool has_reports_ = true;
  DeviceMemory ticket_counter_ = nullptr;  // of the device; so many reports have come
  int64_t small_reads_ = 0;
  uint64_t tickets_ = 0;
  // Somebody waited, and nothing was given since.
  bool idle_ = false;
  // What waits is looked at by those who free memory or kernels, too.
  std::mutex chains_mutex_;
  std::unique_ptr<LaunchChains> chains_;
  std::unique_ptr<Replays> replays_;
  std::vector<void*> pointers_;
  int64_t launches_since_wait_ = 0;
};

template <class Command>
Result<Unit> CudaDriver::timed(DeviceEvent* event, const char* what, const Command& command) {
  if (Result<Unit> given = flush(); !given) return given;
  idle_ = false;
  Timing* timing = nullptr;
  if (event != nullptr && profiling_) {
    timing = new Timing;
    api_.create_event(&timing->start, 0);
    api_.create_event(&timing->end, 0);
    api_.record_event(timing->start, stream_);
  }
  const Status code = command();
  if (timing != nullptr) {
    api_.record_event(timing->end, stream_);
    *event = reinterpret_cast<DeviceEvent>(timing);
  }
  return done(code, what);
}

}  // namespace skald::runtime::cuda
