// SPDX-License-Identifier: Apache-2.0
// A device that is open: memory, commands, launches and the failures that kernels report, on top of
// some driver.
//
// Commands run in the order they are given and may still be at work when a function returns; read
// and finish wait, and so does failure if something may have failed.  What goes wrong with the
// device itself is kept until somebody asks (take_problem); commands after it do nothing.  One
// thread gives commands at a time: whoever shares a device takes hold() first.
//
//   driver.h          what OpenCL or another system offers
//   memory_pool.h     blocks
//   failure_record.h  what kernels report
//   kernel_set.h      the kernels of a program
//   transfer.h        values to the device and back
//   profile.h         events
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/driver.h"
#include "runtime/device/failure_record.h"
#include "runtime/device/memory_pool.h"
#include "runtime/device/profile.h"

namespace skald::runtime {

// A kernel that is ready to run.
struct LoadedKernel {
  std::string name;
  DeviceKernel handle = nullptr;
  int64_t scratch_needed = 0;  // bytes for each thread, as learnt so far
};

struct DeviceArg {
  const SkaldBlock* block;  // null: a scalar
  int64_t bits;
  // The kernel reads and writes the block, so it must be restored before the launch is repeated.
  bool updated = false;
};

struct DeviceLaunch {
  int64_t groups, threads;
  int64_t scratch;  // bytes for each thread
  int64_t shared;   // bytes for each group, passed after the scratch memory; -1: no such argument
  bool group_heap;  // scratch memory for one more thread in each group
  bool may_fail = true;
  std::span<const DeviceArg> args;
};

// Where the threads of a launch have their blocks: so many bytes for each, in the arena that they
// share or in memory of their own.
struct ThreadHeaps {
  int64_t bytes = 0;
  bool in_arena = false;
};

class Device {
 public:
  static Result<std::unique_ptr<Device>> open(std::shared_ptr<DeviceDriver> driver);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceFacts& facts() const { return driver_->facts(); }
  std::shared_ptr<DeviceDriver> shared_driver() { return driver_; }
  std::shared_ptr<Profile> shared_profile() { return profile_; }
  DeviceMemoryPool& memory() { return *memory_; }
  std::unique_lock<std::mutex> hold() {
    std::unique_lock lock(mutex_);
    driver_->use_on_this_thread();
    return lock;
  }
  // See DeviceDriver::watch and set_collecting.
  void watch(const std::atomic<int32_t>* stop) { driver_->watch(stop); }
  void set_collecting(bool on) { driver_->set_collecting(on); }

  // With one reference; null if there is no memory.
  SkaldBlock* allocate(int64_t bytes, bool* refused = nullptr) {
    return memory_->allocate(bytes, refused);
  }
  bool owns(const SkaldBlock* block) const { return memory_->owns(block); }

  // All offsets are in bytes.
  void write(const SkaldBlock* dest, int64_t offset, const void* from, int64_t bytes);
  void read(const SkaldBlock* src, int64_t offset, void* to, int64_t bytes);
  void copy(const SkaldBlock* dest, int64_t dest_offset, const SkaldBlock* src, int64_t src_offset,
            int64_t bytes);
  // `count` elements of `size` bytes (1, 2, 4 or 8).
  void fill(const SkaldBlock* dest, int64_t offset, int64_t count, uint64_t bits, int size);
  // Launches that need scratch memory are repeated until they have enough of it.
  void launch(LoadedKernel& kernel, const DeviceLaunch& launch);
  // What was given so far begins; for those who do something else for a while.
  void flush() { note(driver_->flush()); }
  // The same at the end of a run that nobody waits for; the next one may be remembered as the same.
  void start();
  void finish();

  // The failure of the first launch that failed since the last call.  Waits for launches that may
  // fail.
  std::optional<RunError> failure();
  bool has_problem() const { return !problem_.empty(); }
  // A kernel did not end in time; the device cannot be used any more.
  bool is_given_up() const { return !given_up_.empty(); }
  const std::string& why_given_up() const { return given_up_; }
  // What went wrong with the device, which is then forgotten; empty: nothing.
  std::string take_problem() {
    at_work_.clear();
    return std::exchange(problem_, {});
  }
  // The problem was the limit of memory: how many bytes a launch needed besides its blocks; 0: it
  // was not.
  int64_t take_refused_bytes() { return std::exchange(refused_bytes_, 0); }

  // Profiling; off at the beginning.  Turning it on or off waits for all commands and forgets all
  // events.
  void set_profiling(bool on);
  std::vector<ProfileEvent> take_events() { return profile_->take(*driver_); }

 private:
  explicit Device(std::shared_ptr<DeviceDriver> driver);
  template <class Command>
  void command(EventKind kind, std::string_view name, int64_t bytes, const Command& give);
  void note(const Result<Unit>& done);
  // "kernel `a` or `b`": what may be at work; empty: nothing.
  std::string at_work() const;
  void number_anew();
  void is_idle();
  bool reserve_scratch(int64_t bytes);
  void give_back_scratch();
  int64_t scratch_arena() const;
  void launch_part(const LoadedKernel& kernel, const DeviceLaunch& launch, int64_t first,
                   int64_t groups, const ThreadHeaps& heaps);
  // One part of a launch with scratch memory.  What a thread would have needed; 0: it had enough.
  int64_t try_part(const LoadedKernel& kernel, const DeviceLaunch& launch, int64_t first,
                   int64_t groups, const ThreadHeaps& heaps);

  std::mutex mutex_;
  std::shared_ptr<DeviceDriver> driver_;
  std::shared_ptr<Profile> profile_ = std::make_shared<Profile>();
  std::shared_ptr<DeviceMemoryPool> memory_;
  FailureRecord record_;
  SkaldBlock* scratch_ = nullptr;
  int64_t refused_bytes_ = 0;
  int64_t launches_ = kFirstLaunchNumber;
  std::vector<KernelArg> args_;
  // Kernels that may still be at work: the first few since somebody last waited or took a problem.
  std::vector<const LoadedKernel*> at_work_;
  bool is_busy_ = false;  // something was launched since
  std::string problem_, given_up_;
};

}  // namespace skald::runtime
