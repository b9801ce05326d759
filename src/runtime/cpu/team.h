// SPDX-License-Identifier: Apache-2.0
// Threads that have helped with a loop and wait a moment for the next one.
//
// Handing a loop to threads of a scheduler and getting them back costs several microseconds,
// because they look for work in intervals.  An iterative program has its next loop ready a
// microsecond after the last one.  So a helper watches one word for a while before it goes back to
// the scheduler:
//
//   round   0    1 (open)           2     3 (open)     4
//   caller  ---- work ------- close,wait -- work -- close,wait --------------------
//   helper       -- comes - work --- watches - work -- watches ------------- leaves
//
// Work must be such that it does not matter how many helpers come, or whether any does.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <thread>

namespace skald::runtime {

// Lets the other thread of this core run for some cycles.
inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

// Waits until `done` says so.  Who is waited for works, unless it waits for a core itself; then
// this thread had better not use one up.
template <class Done>
void wait_until(const Done& done) {
  constexpr int kSpins = 8192;  // some hundred microseconds
  for (int spins = 0; !done(); ++spins)
    if (spins < kSpins)
      pause_briefly();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
}

class Team {
 public:
  using Work = void (*)(void* env, int thread);

  // At most `most_watching` helpers wait for the next loop: more than there are cores would be in
  // the way of those who work.
  explicit Team(int most_watching) : most_watching_(most_watching) {}

  // Calls work(env, thread) on this thread, and on up to `helpers` others if they come in time;
  // returns when nobody works on it any more.  `env` is an object of `size` bytes.  start() has to
  // see to it that some other thread calls `help` soon or late.  False if somebody else has the
  // team; then nothing was done.
  template <class Start>
  bool run(int helpers, Work work, void* env, size_t size, int thread, const Start& start) {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    work_.store(work, std::memory_order_relaxed);
    env_.store(env, std::memory_order_relaxed);
    lines_.store(std::min(kMostLines, (size + kLine - 1) / kLine), std::memory_order_relaxed);
    const uint64_t round = round_.load(std::memory_order_relaxed) + 1;
    round_.store(round, std::memory_order_seq_cst);
    try {
      for (int k = members_.load(std::memory_order_relaxed); k < helpers; ++k) {
        start();
        members_.fetch_add(1, std::memory_order_relaxed);
      }
    } catch (const std::bad_alloc&) {
      // Then those who are there have to do it.
    }
    work(env, thread);
    round_.store(round + 1, std::memory_order_seq_cst);
    wait_until([&] { return inside_.load(std::memory_order_seq_cst) == 0; });
    busy_.store(false, std::memory_order_release);
    return true;
  }

  // How many helpers work or watch for the next loop.
  int watching() const { return watching_.load(std::memory_order_relaxed); }

  // Nobody needs to wait any more.
  void dismiss() { dismissed_.store(true, std::memory_order_relaxed); }

  // Helps with what is there and with what comes in the next moment.
  void help(int thread) {
    using Clock = std::chrono::steady_clock;
    constexpr auto kMoment = std::chrono::microseconds(50);
    constexpr int kLooks = 16;  // between two looks at the clock
    uint64_t seen = 0;
    watching_.fetch_add(1, std::memory_order_relaxed);
    auto end = Clock::now() + kMoment;
    do {
      for (int k = 0; k < kLooks; ++k) {
        if (help_once(thread, seen)) end = Clock::now() + kMoment;
        pause_briefly();
      }
    } while (!dismissed_.load(std::memory_order_relaxed) && Clock::now() < end &&
             members_.load(std::memory_order_relaxed) <= most_watching_);
    watching_.fetch_sub(1, std::memory_order_relaxed);
    members_.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  // Did it help with a loop that it had not seen before?
  bool help_once(int thread, uint64_t& seen) {
    const uint64_t round = round_.load(std::memory_order_acquire);
    if (round == seen || round % 2 == 0) return false;
    seen = round;
    const Work work = work_.load(std::memory_order_relaxed);
    char* env = static_cast<char*>(env_.load(std::memory_order_relaxed));
    // All at once: one after the other takes as long as some ten iterations.
    const size_t lines = lines_.load(std::memory_order_relaxed);
    for (size_t k = 0; k < lines; ++k) __builtin_prefetch(env + k * kLine, 1);
    // Either the caller sees that somebody is inside, or it is seen here that it has closed.
    inside_.fetch_add(1, std::memory_order_seq_cst);
    const bool open = round_.load(std::memory_order_seq_cst) == round;
    if (open) work(env, thread);
    inside_.fetch_sub(1, std::memory_order_seq_cst);
    return open;
  }

  static constexpr size_t kLine = 64, kMostLines = 4;
  // What a helper needs to begin is in one cache line, in which only the caller writes: each change
  // of who writes takes a tenth of a microsecond.
  alignas(kLine) std::atomic<uint64_t> round_{0};  // odd: there is work
  std::atomic<Work> work_{nullptr};
  std::atomic<void*> env_{nullptr};
  std::atomic<size_t> lines_{0};                // of `env`, that a helper fetches first
  alignas(kLine) std::atomic<int> inside_{0};   // helpers that work
  alignas(kLine) std::atomic<int> members_{0};  // those that help, and those that were asked to
  std::atomic<int> watching_{0};                // those that have come
  std::atomic<bool> dismissed_{false};
  const int most_watching_;
  alignas(kLine) std::atomic<bool> busy_{false};  // somebody has the team
};

}  // namespace skald::runtime
