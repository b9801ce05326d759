// SPDX-License-Identifier: Apache-2.0
// Chunks with something to do in order: phases in their order, whichever threads come, and no
// thread that waits for one that has lost its core.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "runtime/context.h"
#include "runtime/cpu/parallel.h"

namespace skald::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// Of a chunk; `kept` is the number that its first phase found out.
struct Phases {
  std::function<int64_t(int64_t begin, int64_t end)> first;
  std::function<void(int64_t begin, int64_t& kept)> step;
  std::function<void(int64_t begin, int64_t end, int64_t kept)> then;
};

int32_t call_phase(void* env, int64_t begin, int64_t end, void* memory, int32_t phase) {
  const auto& phases = *static_cast<const Phases*>(env);
  auto* kept = static_cast<int64_t*>(memory);
  if (phase == SKALD_RT_STEP)
    phases.step(begin, *kept);
  else if (phase == SKALD_RT_THEN)
    phases.then(begin, end, *kept);
  else
    *kept = phases.first(begin, end);
  return 0;
}

int32_t ordered_chunks(SkaldContext& ctx, int64_t n, int64_t size, Phases phases) {
  return skald_rt_ordered_chunks(&ctx, n, size, sizeof(int64_t), call_phase, &phases);
}

// Keeps a thread where it is until `done`, as if it had lost its core; false after a long time.
bool lose_core_until(const std::function<bool()>& done) {
  const auto limit = Clock::now() + std::chrono::seconds(30);
  while (!done()) {
    if (Clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

// A loop to which the scheduler gives no second thread in time shows nothing, and is tried again;
// not to get one in any of them is a failure.  `loop` says whether one came.
void with_second_thread(const std::function<bool()>& loop) {
  constexpr int kTries = 3;
  for (int k = 0; k < kTries; ++k)
    if (loop()) return;
  ADD_FAILURE() << "none of " << kTries << " loops got a second thread in 30 s";
}

// Sums of prefixes, with what threads do in between.
class Prefixes {
 public:
  explicit Prefixes(int64_t n) : values_(static_cast<size_t>(n)), sums_(static_cast<size_t>(n)) {
    std::iota(values_.begin(), values_.end(), 1);
  }
  Phases phases() {
    return {
        .first =
            [this](int64_t begin, int64_t end) {
              return std::accumulate(values_.begin() + begin, values_.begin() + end, int64_t{0});
            },
        .step =
            [this](int64_t begin, int64_t& kept) {
              in_order_ = in_order_ && begin >= last_begin_;
              last_begin_ = begin;
              const int64_t total = std::exchange(kept, before_next_);
              before_next_ += total;
            },
        .then =
            [this](int64_t begin, int64_t end, int64_t kept) {
              for (int64_t i = begin; i < end; ++i)
                sums_[static_cast<size_t>(i)] = kept += values_[static_cast<size_t>(i)];
            },
    };
  }
  void expect_right() const {
    EXPECT_TRUE(in_order_);
    for (size_t i = 0; i < sums_.size(); ++i) {
      const auto k = static_cast<int64_t>(i);
      ASSERT_EQ(sums_[i], (k + 1) * (k + 2) / 2) << i;
    }
  }

 private:
  std::vector<int64_t> values_, sums_;
  int64_t before_next_ = 0, last_begin_ = 0;
  bool in_order_ = true;
};

TEST(OrderedChunks, SumsOfPrefixes) {
  for (const int threads : {1, 2, 3, 8})
    for (const int64_t n : {0, 1, 100, 1000, 100000}) {
      ThreadPool pool(threads);
      for (int repeat = 0; repeat < 20; ++repeat) {
        SkaldContext ctx(&pool);
        Prefixes prefixes(n);
        EXPECT_EQ(0, ordered_chunks(ctx, n, 17, prefixes.phases()));
        prefixes.expect_right();
      }
    }
  SkaldContext ctx;
  Prefixes prefixes(1000);
  EXPECT_EQ(0, ordered_chunks(ctx, 1000, 10, prefixes.phases()));
  prefixes.expect_right();
}

// One thread of two loses its core in a first phase until the other has begun all chunks.
bool others_go_on(ThreadPool& pool) {
  constexpr int64_t kChunks = 100, kSize = 10, kAway = 7;
  SkaldContext ctx(&pool);
  Prefixes prefixes(kChunks * kSize);
  Phases phases = prefixes.phases();
  std::atomic<int64_t> begun{0};
  std::atomic<bool> has_other{true}, came_back{false};
  phases.first = [&, first = phases.first](int64_t begin, int64_t end) {
    ++begun;
    // One that begins alone would keep nobody waiting.
    if (begin == 0) has_other = lose_core_until([&] { return begun > 1; });
    if (begin == kAway * kSize && has_other)
      came_back = lose_core_until([&] { return begun == kChunks; });
    return first(begin, end);
  };
  EXPECT_EQ(0, ordered_chunks(ctx, kChunks * kSize, kSize, phases));
  prefixes.expect_right();
  EXPECT_TRUE(came_back || !has_other);
  return has_other;
}

TEST(OrderedChunks, OthersGoOnWhileAFirstPhaseHasNoCore) {
  ThreadPool pool(2);
  with_second_thread([&] { return others_go_on(pool); });
}

// How much a loop may keep follows from what its own chunks need, not from what earlier ones did.
TEST(OrderedChunks, OthersGoOnAfterALoopThatKeptMuch) {
  ThreadPool pool(2);
  const SkaldOrderedBody nothing = [](void*, int64_t, int64_t, void*, int32_t) { return 0; };
  const auto keep_much = [&] {
    SkaldContext ctx(&pool);
    EXPECT_EQ(0, skald_rt_ordered_chunks(&ctx, 64, 1, 2 << 20, nothing, nullptr));
  };
  keep_much();
  // The other thread may not have come.
  std::thread(keep_much).join();
  with_second_thread([&] { return others_go_on(pool); });
}

bool others_go_on_in_a_last_phase(ThreadPool& pool) {
  constexpr int64_t kChunks = 3000, kSize = 10, kAway = 7;
  SkaldContext ctx(&pool);
  Prefixes prefixes(kChunks * kSize);
  Phases phases = prefixes.phases();
  std::atomic<int64_t> begun{0}, ended{0};
  std::atomic<bool> has_other{true}, came_back{false};
  // So many as lie between two chunks that use the same memory of the loop.
  constexpr int64_t kOthers = 1000;
  phases.first = [&, first = phases.first](int64_t begin, int64_t end) {
    ++begun;
    if (begin == 0) has_other = lose_core_until([&] { return begun > 1; });
    return first(begin, end);
  };
  phases.then = [&, then = phases.then](int64_t begin, int64_t end, int64_t kept) {
    if (begin == kAway * kSize && has_other)
      came_back = lose_core_until([&] { return ended >= kOthers; });
    then(begin, end, kept);
    ++ended;
  };
  EXPECT_EQ(0, ordered_chunks(ctx, kChunks * kSize, kSize, phases));
  prefixes.expect_right();
  EXPECT_TRUE(came_back || !has_other);
  return has_other;
}

TEST(OrderedChunks, OthersGoOnWhileALastPhaseHasNoCore) {
  ThreadPool pool(2);
  with_second_thread([&] { return others_go_on_in_a_last_phase(pool); });
}

// What was kept while a thread was away is shared when it comes back.
bool a_thread_that_comes_back_helps(ThreadPool& pool) {
  constexpr int64_t kChunks = 60, kSize = 10, kAway = 5;
  SkaldContext ctx(&pool);
  Prefixes prefixes(kChunks * kSize);
  Phases phases = prefixes.phases();
  std::atomic<int64_t> begun{0};
  std::atomic<bool> has_other{true};
  std::atomic<std::thread::id> away{};
  std::atomic<int64_t> by_it{0};
  phases.first = [&, first = phases.first](int64_t begin, int64_t end) {
    ++begun;
    if (begin == 0) has_other = lose_core_until([&] { return begun > 1; });
    if (begin == kAway * kSize && has_other) {
      away = std::this_thread::get_id();
      lose_core_until([&] { return begun == kChunks; });
    }
    return first(begin, end);
  };
  phases.then = [&, then = phases.then](int64_t begin, int64_t end, int64_t kept) {
    if (begin > kAway * kSize) {
      if (std::this_thread::get_id() == away) ++by_it;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    then(begin, end, kept);
  };
  EXPECT_EQ(0, ordered_chunks(ctx, kChunks * kSize, kSize, phases));
  prefixes.expect_right();
  EXPECT_TRUE(by_it > 5 || !has_other) << by_it;
  return has_other;
}

TEST(OrderedChunks, AThreadThatComesBackHelps) {
  ThreadPool pool(2);
  with_second_thread([&] { return a_thread_that_comes_back_helps(pool); });
}

// Threads that lose their cores in any phase.
TEST(OrderedChunks, RandomDelays) {
  ThreadPool pool(4);
  for (int repeat = 0; repeat < 10; ++repeat) {
    constexpr int64_t kChunks = 500, kSize = 10;
    SkaldContext ctx(&pool);
    Prefixes prefixes(kChunks * kSize);
    Phases phases = prefixes.phases();
    const auto maybe_delay = [repeat](int64_t begin, int salt) {
      const uint64_t hash =
          static_cast<uint64_t>(begin * 4 + salt + 1000003 * repeat) * 0x9E3779B97F4A7C15;
      if (hash >> 58 == 0) std::this_thread::sleep_for(std::chrono::microseconds(500));
    };
    phases.first = [&, first = phases.first](int64_t begin, int64_t end) {
      maybe_delay(begin, 0);
      return first(begin, end);
    };
    phases.step = [&, step = phases.step](int64_t begin, int64_t& kept) {
      maybe_delay(begin, 1);
      step(begin, kept);
    };
    phases.then = [&, then = phases.then](int64_t begin, int64_t end, int64_t kept) {
      maybe_delay(begin, 2);
      then(begin, end, kept);
    };
    EXPECT_EQ(0, ordered_chunks(ctx, kChunks * kSize, kSize, phases));
    prefixes.expect_right();
  }
}

// Scratch memory of the first phase is there in the last one, on whatever thread.
TEST(OrderedChunks, ScratchMemoryStaysWithItsChunk) {
  struct Env {
    SkaldContext& ctx;
    std::atomic<int64_t> wrong{0};
  };
  ThreadPool pool(4);
  SkaldContext ctx(&pool);
  Env env{ctx};
  const SkaldOrderedBody body = [](void* pointer, int64_t begin, int64_t end, void* kept,
                                   int32_t phase) {
    auto& e = *static_cast<Env*>(pointer);
    auto& memory = *static_cast<int64_t**>(kept);
    if (phase <= SKALD_RT_FIRST_ALONE) {
      memory = static_cast<int64_t*>(skald_rt_scratch_alloc(&e.ctx, (end - begin) * 8));
      for (int64_t i = begin; i < end; ++i) memory[i - begin] = i;
      if (begin % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    } else if (phase == SKALD_RT_THEN) {
      const int64_t mark = skald_rt_scratch_mark();
      auto* more = static_cast<int64_t*>(skald_rt_scratch_alloc(&e.ctx, 8000));
      std::fill_n(more, 1000, -1);
      for (int64_t i = begin; i < end; ++i) e.wrong += memory[i - begin] != i ? 1 : 0;
      skald_rt_scratch_reset(mark);
    }
    return 0;
  };
  EXPECT_EQ(0, skald_rt_ordered_chunks(&ctx, 400000, 1000, sizeof(int64_t*), body, &env));
  EXPECT_EQ(env.wrong, 0);
}

TEST(OrderedChunks, TheLowestFailureWins) {
  struct Env {
    SkaldContext& ctx;
    int64_t first, then;  // the chunks that fail in these phases
    std::atomic<int64_t> ended{0};
  };
  for (const int threads : {1, 4})
    for (int repeat = 0; repeat < 50; ++repeat) {
      ThreadPool pool(threads);
      SkaldContext ctx(&pool);
      Env env{ctx, 40 + repeat % 3, 41};
      const SkaldOrderedBody body = [](void* pointer, int64_t begin, int64_t, void*,
                                       int32_t phase) {
        auto& e = *static_cast<Env*>(pointer);
        const bool is_first = phase <= SKALD_RT_FIRST_ALONE;
        if ((is_first && begin == e.first) || (phase == SKALD_RT_THEN && begin == e.then)) {
          skald_rt_fail(&e.ctx, begin, nullptr, 0);
          return 1;
        }
        if (phase == SKALD_RT_THEN && begin < 40) ++e.ended;
        return 0;
      };
      EXPECT_EQ(1, skald_rt_ordered_chunks(&ctx, 100, 1, 0, body, &env));
      ASSERT_TRUE(ctx.errors.error().has_value());
      EXPECT_EQ(ctx.errors.error()->id, std::min(env.first, env.then));
      EXPECT_EQ(env.ended, 40);
    }
}

}  // namespace
}  // namespace skald::runtime
