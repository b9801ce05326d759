// SPDX-License-Identifier: Apache-2.0
#include "runtime/budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/context.h"

namespace skald::runtime {

bool MemoryBudget::take(int64_t bytes) noexcept {
  const int64_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
  if (bytes <= limit_ - before) return true;
  give_back(bytes);
  return false;
}

std::string MemoryBudget::refusal(int64_t bytes) const {
  return fmt::format("Memory limit of {} bytes reached: there is no room for {} more.", limit_,
                     bytes);
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Watchdog::Watch::Watch(Watchdog& dog, SkaldContext& context)
    : dog_(dog), context_(context.seconds > 0 ? &context : nullptr) {
  if (context_ == nullptr) return;
  // Longer is as good as for ever, and does not overflow.
  constexpr double kLongest = 1e9;
  end_ = std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::duration<double>(std::min(context.seconds, kLongest)));
  const std::lock_guard lock(dog_.mutex_);
  dog_.watched_.emplace(end_, context_);
  if (!dog_.thread_.joinable()) dog_.thread_ = std::thread([&dog] { dog.work(); });
  dog_.changed_.notify_all();
}

Watchdog::Watch::~Watch() {
  if (context_ == nullptr) return;
  const std::lock_guard lock(dog_.mutex_);
  const auto [first, last] = dog_.watched_.equal_range(end_);
  const auto own =
      std::find_if(first, last, [&](const auto& each) { return each.second == context_; });
  if (own != last) dog_.watched_.erase(own);
}

void Watchdog::work() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (watched_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto first = watched_.begin();
    if (first->first > std::chrono::steady_clock::now()) {
      const Time next = first->first;
      changed_.wait_until(lock, next);
      continue;
    }
    first->second->stop.store(1, std::memory_order_relaxed);
    watched_.erase(first);
  }
}

}  // namespace skald::runtime
