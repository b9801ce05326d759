// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/jit/end_of_process.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace skald::cpu {

namespace {

// Compiling a part takes milliseconds, or a second or two if it is large.
constexpr std::chrono::seconds kMostWait(10);

struct AllWork {
  std::mutex mutex;
  std::condition_variable changed;
  int begun = 0;
  bool is_registered = false, is_ending = false;
};

// Never torn down itself.
AllWork& all_work() {
  static auto* const kOne = new AllWork;
  return *kOne;
}

void wait_for_work() {
  AllWork& all = all_work();
  std::unique_lock lock(all.mutex);
  all.is_ending = true;
  all.changed.wait_for(lock, kMostWait, [&] { return all.begun == 0; });
}

}  // namespace

WorkOfProcess::WorkOfProcess() {
  AllWork& all = all_work();
  const std::lock_guard lock(all.mutex);
  if (all.is_ending) return;
  if (!std::exchange(all.is_registered, true)) std::atexit(&wait_for_work);
  ++all.begun;
  may_begin_ = true;
}

WorkOfProcess::~WorkOfProcess() {
  if (!may_begin_) return;
  AllWork& all = all_work();
  const std::lock_guard lock(all.mutex);
  --all.begun;
  all.changed.notify_all();
}

void join_later(std::thread thread) {
  static std::mutex mutex;
  static auto* const kEnded = new std::thread;
  {
    const std::lock_guard lock(mutex);
    std::swap(*kEnded, thread);
  }
  if (thread.joinable()) thread.join();
}

}  // namespace skald::cpu
