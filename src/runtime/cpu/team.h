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
//
// Work that is cut into shares (shares.h) is not closed: nobody touches it who has not taken a
// piece of it, and there are none left when it has ended.  So the caller writes what is to be done,
// works, and waits until all pieces are finished; each side writes in one cache line that the other
// reads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <thread>

#include "runtime/cpu/shares.h"

namespace skald::runtime {

// Lets the other thread of this core run for some cycles.
inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

// For a thread that has nothing to do until another one has done something.  That one works, unless
// it has lost its core; then this thread had better not use one up: the system moves threads to
// cores that are idle.
class Patience {
 public:
  void wait() {
    constexpr auto kMoment = std::chrono::microseconds(100), kNap = std::chrono::microseconds(50);
    if (end_ == std::chrono::steady_clock::time_point())
      end_ = std::chrono::steady_clock::now() + kMoment;
    if (std::chrono::steady_clock::now() < end_)
      pause_briefly();
    else
      std::this_thread::sleep_for(kNap);
  }

 private:
  std::chrono::steady_clock::time_point end_;
};

// Waits until `done` says so.
template <class Done>
void wait_until(const Done& done) {
  for (Patience patience; !done();) patience.wait();
}

class Team {
 public:
  using Work = void (*)(void* env, int thread);
  using PieceWork = void (*)(void* env, int64_t first, int64_t last);
  // Where things are that a helper will need, to be fetched meanwhile.
  struct Hints {
    const void* one = nullptr;
    const void* two = nullptr;
  };

  // Of so many threads.  At most `most_watching` helpers wait for the next loop: more than there
  // are cores would be in the way of those who work.
  Team(int threads, int most_watching) : most_watching_(most_watching), shares_(threads) {}

  // Calls work(env, thread) on this thread, and on up to `helpers` others if they come in time;
  // returns when nobody works on it any more.  start() has to see to it that some other thread
  // calls `help` soon or late.  False if somebody else has the team; then nothing was done.
  template <class Start>
  bool run(int helpers, Work work, void* env, int thread, const Start& start) {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    const uint64_t round = open(reinterpret_cast<Function>(work), env, Cut(), false, {});
    call_in(helpers, start);
    work(env, thread);
    round_.store(round + 1, std::memory_order_seq_cst);
    wait_until([&] { return inside_.load(std::memory_order_seq_cst) == 0; });
    busy_.store(false, std::memory_order_release);
    return true;
  }

  // Likewise calls work(env, first, last) for all pieces of `cut`.  Nothing if somebody else has
  // the team.
  template <class Start>
  std::optional<Shares::Spent> run_pieces(const Cut& cut, PieceWork work, void* env, Hints hints,
                                          int thread, const Start& start) {
    if (busy_.exchange(true, std::memory_order_acquire)) return std::nullopt;
    const uint64_t round = open(reinterpret_cast<Function>(work), env, cut, true, hints);
    call_in(cut.shares - 1, start);
    work_on(cut, round, work, env, thread);
    Shares::Spent spent;
    wait_until([&] {
      spent = shares_.spent(round);
      return spent.pieces == cut.pieces();
    });
    busy_.store(false, std::memory_order_release);
    return spent;
  }

  // How many helpers work or watch for the next loop.
  int watching() const { return watching_.load(std::memory_order_relaxed); }

  // Nobody needs to wait any more.
  void dismiss() { dismissed_.store(true, std::memory_order_relaxed); }

  // Helps with what is there and with what comes in the next moment.
  void help(int thread) {
    uint64_t seen = 0;
    do stay(thread, seen);
    while (comes_back(seen));
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Function = void (*)();

  void stay(int thread, uint64_t& seen) {
    constexpr auto kMoment = std::chrono::microseconds(50);
    constexpr int kLooks = 16;  // between two looks at the clock
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
    members_.fetch_sub(1, std::memory_order_seq_cst);
  }

  // Who calls for work counts those that are there, and may have counted one that was about to
  // leave.  Either it sees that this one has left, or this one sees the work.
  bool comes_back(uint64_t seen) {
    const uint64_t round = round_.load(std::memory_order_seq_cst);
    if (round == seen || round % 2 == 0 || dismissed_.load(std::memory_order_relaxed)) return false;
    members_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  // Lets helpers see what is to be done, and returns the number of the round.  They read it without
  // a lock and then look whether it is still the same round.
  uint64_t open(Function work, void* env, const Cut& cut, bool in_pieces, Hints hints) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const uint64_t before = round_.load(kRelaxed) / 2 * 2;
    round_.store(before + 2, kRelaxed);
    std::atomic_thread_fence(std::memory_order_release);
    work_.store(work, kRelaxed);
    env_.store(env, kRelaxed);
    begin_.store(cut.begin, kRelaxed);
    count_.store(cut.count, kRelaxed);
    cut_.store({cut.shares, cut.pieces_each, cut.is_short, in_pieces}, kRelaxed);
    hint_one_.store(hints.one, kRelaxed);
    hint_two_.store(hints.two, kRelaxed);
    round_.store(before + 3, std::memory_order_seq_cst);
    return before + 3;
  }

  template <class Start>
  void call_in(int helpers, const Start& start) {
    try {
      for (int k = members_.load(std::memory_order_seq_cst); k < helpers; ++k) {
        start();
        members_.fetch_add(1, std::memory_order_relaxed);
      }
    } catch (const std::bad_alloc&) {
      // Then those who are there have to do it.
    }
  }

  void work_on(const Cut& cut, uint64_t round, PieceWork work, void* env, int thread) {
    const auto start = Clock::now();
    const auto call = [&](int64_t first, int64_t last) { work(env, first, last); };
    if (const int64_t pieces = shares_.work_on(cut, round, thread, call))
      shares_.finish(round, thread, pieces, (Clock::now() - start).count());
  }

  // Was there a loop that it had not seen before?
  bool help_once(int thread, uint64_t& seen) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const uint64_t round = round_.load(std::memory_order_acquire);
    if (round == seen || round % 2 == 0) return false;
    seen = round;
    const Function work = work_.load(kRelaxed);
    void* env = env_.load(kRelaxed);
    const Small small = cut_.load(kRelaxed);
    Cut cut;
    cut.begin = begin_.load(kRelaxed), cut.count = count_.load(kRelaxed);
    cut.shares = small.shares, cut.pieces_each = small.pieces_each, cut.is_short = small.is_short;
    const void* hint_one = hint_one_.load(kRelaxed);
    const void* hint_two = hint_two_.load(kRelaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (round_.load(kRelaxed) != round) return false;
    __builtin_prefetch(env);
    if (small.in_pieces) {
      shares_.prefetch(cut, thread);
      __builtin_prefetch(hint_one);
      __builtin_prefetch(hint_two);
      work_on(cut, round, reinterpret_cast<PieceWork>(work), env, thread);
      return true;
    }
    // Either the caller sees that somebody is inside, or it is seen here that it has closed.
    inside_.fetch_add(1, std::memory_order_seq_cst);
    const bool is_open = round_.load(std::memory_order_seq_cst) == round;
    if (is_open) reinterpret_cast<Work>(work)(env, thread);
    inside_.fetch_sub(1, std::memory_order_seq_cst);
    return is_open;
  }

  static constexpr size_t kLine = 64;
  struct alignas(8) Small {
    uint16_t shares, pieces_each;
    bool is_short, in_pieces;
  };
  // What a helper needs to begin is in one cache line, in which only the caller writes: each change
  // of who writes takes a tenth of a microsecond.
  alignas(kLine) std::atomic<uint64_t> round_{0};  // odd: there is, or was, work
  std::atomic<Function> work_{nullptr};
  std::atomic<void*> env_{nullptr};
  std::atomic<int64_t> begin_{0}, count_{0};
  std::atomic<Small> cut_{Small{}};
  std::atomic<const void*> hint_one_{nullptr}, hint_two_{nullptr};
  alignas(kLine) std::atomic<int> inside_{0};   // helpers that work, unless in pieces
  alignas(kLine) std::atomic<int> members_{0};  // those that help, and those that were asked to
  std::atomic<int> watching_{0};                // those that have come
  std::atomic<bool> dismissed_{false};
  const int most_watching_;
  alignas(kLine) std::atomic<bool> busy_{false};  // somebody has the team
  Shares shares_;
};

}  // namespace skald::runtime
