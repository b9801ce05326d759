// SPDX-License-Identifier: Apache-2.0
// The thread pool behind skald_rt_parallel_for and skald_rt_parallel_chunks (see runtime/abi.h).
// oneTBB is used in this folder and nowhere else.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "runtime/abi.h"

namespace skald::runtime {

class ThreadPool {
 public:
  // `threads` <= 0: one for each core that this process may use.  At most 64, or four for each core
  // if that is more.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  // Those that this process may use.
  int cores() const { return cores_; }

  // Executes `work` as a member of the pool, so that loops inside it start at once.  Loops also
  // work outside of this; they then enter the pool one by one.
  void run(const std::function<void()>& work);

 private:
  friend struct ThreadPoolAccess;
  struct Arena;
  int threads_, cores_;
  std::unique_ptr<Arena> arena_;
};

// Name and address of every function in abi.h, for a JIT that resolves symbols itself.
struct AbiSymbol {
  const char* name;
  void* address;
};
std::span<const AbiSymbol> abi_symbols();

}  // namespace skald::runtime
