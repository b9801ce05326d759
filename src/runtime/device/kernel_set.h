// SPDX-License-Identifier: Apache-2.0
// The kernels of one program on one device.  Each is compiled by itself: when it is first needed,
// or before that in the background, several at a time; and each is kept on disk by itself
// (runtime/disk_cache.h), under a hash of its text, the device and its driver.  Units that are the
// same but for their names are compiled once, for one name.
//
// Some drivers take long to start and keep what they compiled themselves (PoCL: 0.1 s for every
// text).  They get all kernels of a program at once, when the first one is needed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "runtime/device/device.h"
#include "runtime/device/kernel_unit.h"
#include "runtime/disk_cache.h"

namespace skald::runtime {

class KernelSet {
 public:
  // `texts` must stay alive as long as this.
  KernelSet(Device& device, const KernelTexts& texts, DiskCache cache);
  // Waits for what is being compiled at the moment.
  ~KernelSet();
  KernelSet(const KernelSet&) = delete;
  KernelSet& operator=(const KernelSet&) = delete;

  // Starts to compile these, and does not wait.
  void prepare(std::span<const int32_t> numbers);
  // The kernel of a unit, compiled now if it is not yet.  Fails with the compiler's words.
  Result<LoadedKernel*> get(int32_t number);
  // The same if it is compiled already, without waiting; otherwise null.
  LoadedKernel* ready(int32_t number) const {
    return ready_[static_cast<size_t>(number)].load(std::memory_order_acquire);
  }

 private:
  enum class State : uint8_t { kText, kCompiling, kReady, kFailed };
  struct Entry {
    State state = State::kText;
    LoadedKernel kernel;
    std::string problem;
  };

  void work();
  // The unit whose code serves this one.
  size_t original(int32_t number) const;
  // Gives the code of an original to all that it serves.
  void hand_out(size_t number, Entry& entry);
  // With the lock held, which it gives up for a while.
  void compile(size_t number, std::unique_lock<std::mutex>& lock);
  // The kernels of these units, or what the compiler says.
  Result<std::vector<DeviceKernel>> make(std::span<const int32_t> numbers);
  Result<DeviceKernel> make_one(int32_t number);

  std::shared_ptr<DeviceDriver> driver_;
  std::shared_ptr<Profile> profile_;
  const KernelTexts& texts_;
  DiskCache cache_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry> entries_;
  std::vector<std::atomic<LoadedKernel*>> ready_;
  std::vector<std::vector<size_t>> served_;  // by each original, besides itself
  std::deque<size_t> wanted_;
  std::vector<std::thread> threads_;
  size_t working_ = 0;  // those that have not ended
};

}  // namespace skald::runtime
