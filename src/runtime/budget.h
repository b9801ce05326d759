// SPDX-License-Identifier: Apache-2.0
// What programs that are not trusted may use: memory of all runs of an engine, time of one run.
//
// A budget outlives all blocks that were counted against it, which may outlive their engine: it is
// gone with the last of them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "runtime/abi.h"

namespace skald::runtime {

// How many bytes may be in use at once.  May be used from several threads.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t limit) : limit_(limit) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // False, and nothing is counted, if there are not so many left.
  bool take(int64_t bytes) noexcept;
  void give_back(int64_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  int64_t limit() const { return limit_; }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  // What to say if `take` was false.
  std::string refusal(int64_t bytes) const;

  void retain() noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  ~MemoryBudget() = default;
  const int64_t limit_;
  std::atomic<int64_t> used_{0}, refs_{1};
};

// A shared reference to a budget, or to none.
class BudgetRef {
 public:
  BudgetRef() = default;
  // No budget for a limit of 0.
  static BudgetRef with_limit(int64_t bytes) {
    return BudgetRef(bytes > 0 ? new MemoryBudget(bytes) : nullptr);
  }
  BudgetRef(const BudgetRef& other) : BudgetRef(other.budget_) {
    if (budget_ != nullptr) budget_->retain();
  }
  BudgetRef& operator=(BudgetRef other) noexcept {
    std::swap(budget_, other.budget_);
    return *this;
  }
  ~BudgetRef() {
    if (budget_ != nullptr) budget_->release();
  }
  MemoryBudget* get() const { return budget_; }

 private:
  explicit BudgetRef(MemoryBudget* budget) : budget_(budget) {}
  MemoryBudget* budget_ = nullptr;
};

// Stops runs whose time is over, by writing into a word that they look at.  Has a thread of its own
// from the first run with a limit on.
class Watchdog {
 public:
  Watchdog() = default;
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // For as long as it lives, the run of `context` has its limit of time, if it has one.
  class Watch {
   public:
    Watch(Watchdog& dog, SkaldContext& context);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Watchdog& dog_;
    SkaldContext* context_;
    std::chrono::steady_clock::time_point end_;
  };

 private:
  using Time = std::chrono::steady_clock::time_point;
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<Time, SkaldContext*> watched_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace skald::runtime
