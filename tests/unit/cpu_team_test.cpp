// SPDX-License-Identifier: Apache-2.0
// How the iterations of a loop are shared out, and the threads that wait for the next loop.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "runtime/cpu/shares.h"
#include "runtime/cpu/team.h"

namespace skald::runtime {
namespace {

struct Piece {
  int64_t begin, end;
};

std::vector<Piece> pieces_of(Shares& shares, const Cut& cut, int thread, uint64_t round = 1) {
  std::vector<Piece> pieces;
  shares.work_on(cut, round, thread,
                 [&](int64_t begin, int64_t end) { pieces.push_back({begin, end}); });
  return pieces;
}
std::vector<int64_t> begins_of(const Cut& cut, int thread) {
  Shares shares(2);
  std::vector<int64_t> begins;
  for (const Piece& piece : pieces_of(shares, cut, thread)) begins.push_back(piece.begin);
  return begins;
}

TEST(Shares, OneThreadCanDoEverything) {
  for (int64_t n : {1, 2, 7, 64, 1000, 1000000})
    for (int64_t grain : {1, 3, 500, 2000000})
      for (int threads : {1, 2, 3, 64}) {
        Shares shares(threads);
        const Cut cut(10, 10 + n, grain, threads);
        std::vector<int> seen(static_cast<size_t>(n));
        for (const Piece& piece : pieces_of(shares, cut, 1)) {
          EXPECT_LT(piece.begin, piece.end);
          for (int64_t i = piece.begin; i < piece.end; ++i) ++seen[static_cast<size_t>(i - 10)];
        }
        for (const int count : seen) ASSERT_EQ(count, 1);
        EXPECT_TRUE(pieces_of(shares, cut, 0).empty());
      }
}

TEST(Shares, PiecesAreNotSmallerThanTheGrain) {
  Shares shares(4);
  const Cut cut(0, 1000, 100, 4);
  EXPECT_EQ(cut.shares, 4);
  for (const Piece& piece : pieces_of(shares, cut, 0)) EXPECT_GE(piece.end - piece.begin, 100);
  EXPECT_EQ(Cut(0, 250, 100, 4).shares, 2);
  EXPECT_EQ(Cut(0, 50, 100, 4).shares, 1);
}

// Thread 1 begins in the second half, goes on to its end, and then takes the rest from the back.
TEST(Shares, AThreadHasTheSameIterationsEveryTime) {
  EXPECT_EQ(begins_of(Cut(0, 80, 10, 2), 1), (std::vector<int64_t>{40, 50, 60, 70, 30, 20, 10, 0}));
}

TEST(Shares, LongLoopsHaveLargePiecesFirst) {
  Shares shares(2);
  const std::vector<Piece> pieces = pieces_of(shares, Cut(0, 1024, 1, 2), 0);
  EXPECT_EQ(pieces.front().end, 64);
  EXPECT_EQ(pieces.back().begin, 512);
  EXPECT_EQ(pieces.back().end, 520);
}

TEST(Shares, ShortLoopsAreTakenInFewParts) {
  EXPECT_EQ(begins_of(Cut(0, 160, 10, 2, true), 1),
            (std::vector<int64_t>{80, 140, 150, 20, 10, 0}));
}

TEST(Shares, KnowsWhatThreadsSpent) {
  Shares shares(4);
  EXPECT_EQ(shares.spent(1).threads, 0);
  shares.finish(1, 0, 30, 5);
  shares.finish(1, 3, 20, 7);
  EXPECT_EQ(shares.spent(1).threads, 2);
  EXPECT_EQ(shares.spent(1).pieces, 50);
  EXPECT_EQ(shares.spent(1).nanoseconds, 12);
  EXPECT_EQ(shares.spent(2).threads, 0);
}

// A helper that still has the loop before in mind finds nothing to do.
TEST(Shares, AreUntouchedInTheNextRound) {
  Shares shares(2);
  EXPECT_EQ(pieces_of(shares, Cut(0, 80, 10, 2), 0, 5).size(), 8u);
  EXPECT_EQ(pieces_of(shares, Cut(0, 80, 10, 2), 1, 5).size(), 0u);
  EXPECT_EQ(pieces_of(shares, Cut(0, 40, 10, 2), 0, 7).size(), 4u);
  EXPECT_EQ(pieces_of(shares, Cut(0, 80, 10, 2), 1, 5).size(), 0u);
}

TEST(Shares, ThreadsDoEverythingOnce) {
  Shares shares(4);
  for (uint64_t round = 1; round < 50; ++round) {
    const Cut cut(0, 100000, 7, 4);
    std::vector<std::atomic<int>> seen(100000);
    const auto work = [&](int thread) {
      shares.work_on(cut, round, thread, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
      });
    };
    std::vector<std::thread> threads;
    for (int k = 1; k < 4; ++k) threads.emplace_back(work, k);
    work(0);
    for (std::thread& thread : threads) thread.join();
    for (const auto& count : seen) ASSERT_EQ(count, 1);
  }
}

// Loops in pieces and others in turns; what a loop works on is gone when it has ended.
TEST(Team, DoesAllPiecesOfALoopOnce) {
  constexpr int kThreads = 4;
  Team team(kThreads, kThreads - 1);
  std::vector<std::thread> threads;
  std::atomic<int> next{1};
  const auto start = [&] {
    threads.emplace_back([&, thread = next++ % kThreads] { team.help(thread); });
  };
  for (int round = 0; round < 2000; ++round) {
    struct Work {
      std::vector<int> seen;
      std::atomic<bool> ended{false};
    } work{std::vector<int>(static_cast<size_t>(100 + round % 7)), false};
    const Cut cut(0, static_cast<int64_t>(work.seen.size()), 1 + round % 5, 1 + round % kThreads,
                  round % 2 == 0);
    const auto call = [](void* env, int64_t first, int64_t last) {
      auto* shared = static_cast<Work*>(env);
      ASSERT_FALSE(shared->ended);
      for (int64_t i = first; i < last; ++i) ++shared->seen[static_cast<size_t>(i)];
    };
    const auto spent = team.run_pieces(cut, call, &work, {}, 0, [] {});
    work.ended = true;
    ASSERT_TRUE(spent.has_value());
    ASSERT_EQ(spent->pieces, cut.pieces());
    for (const int count : work.seen) ASSERT_EQ(count, 1);
    if (round % 16 == 0) {
      ASSERT_TRUE(team.run(3, [](void*, int) {}, nullptr, 0, start));
    }
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Team, NobodyWorksOnALoopThatHasEnded) {
  Team team(4, 3);
  std::vector<std::thread> threads;
  std::atomic<int> next{1};
  for (int round = 0; round < 2000; ++round) {
    struct Work {
      std::atomic<int> inside{0}, left{100};
    } work;
    const auto call = [](void* env, int) {
      auto* shared = static_cast<Work*>(env);
      ++shared->inside;
      while (shared->left.fetch_sub(1) > 0) {
      }
      --shared->inside;
    };
    ASSERT_TRUE(
        team.run(3, call, &work, 0, [&] { threads.emplace_back([&] { team.help(next++); }); }));
    ASSERT_EQ(work.inside, 0);
    ASSERT_LE(work.left, 0);
  }
  for (std::thread& thread : threads) thread.join();
}

// A helper leaves 50 µs after the last loop: here about when the next one begins.
TEST(Team, ALoopIsNotMissedByAHelperThatLeaves) {
  using Clock = std::chrono::steady_clock;
  Team team(2, 1);
  std::atomic<int> asked{0};
  std::atomic<bool> ended{false};
  std::thread helper([&] {
    while (!ended) {
      if (asked == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(1));
        continue;
      }
      --asked;
      team.help(1);
    }
  });
  const auto both_come = [](void* env, int thread) {
    auto& came = *static_cast<std::atomic<int>*>(env);
    ++came;
    if (thread == 0)
      wait_until([&, end = Clock::now() + std::chrono::seconds(5)] {
        return came == 2 || Clock::now() > end;
      });
  };
  for (int round = 0; round < 5000; ++round) {
    std::atomic<int> came{0};
    ASSERT_TRUE(team.run(1, both_come, &came, 0, [&] { ++asked; }));
    EXPECT_EQ(came, 2) << round;
    const auto next = Clock::now() + std::chrono::nanoseconds(48'000 + round * 37 % 8000);
    while (Clock::now() < next) pause_briefly();
  }
  ended = true;
  helper.join();
}

TEST(Team, HasOneLoopAtATime) {
  Team team(2, 1);
  struct Inner {
    Team* team;
    bool ran = true;
  } inner{&team};
  const auto outer = [](void* env, int) {
    auto* shared = static_cast<Inner*>(env);
    shared->ran = shared->team->run(0, [](void*, int) {}, nullptr, 0, [] {});
  };
  EXPECT_TRUE(team.run(0, outer, &inner, 0, [] {}));
  EXPECT_FALSE(inner.ran);
}

}  // namespace
}  // namespace skald::runtime
