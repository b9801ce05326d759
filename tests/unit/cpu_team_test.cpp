// SPDX-License-Identifier: Apache-2.0
// How the iterations of a loop are shared out, and the threads that wait for the next loop.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/cpu/shares.h"
#include "runtime/cpu/team.h"

namespace skald::runtime {
namespace {

struct Piece {
  int64_t begin, end;
};

std::vector<Piece> pieces_of(Shares& shares, int thread) {
  std::vector<Piece> pieces;
  shares.work_on(thread, [&](int64_t begin, int64_t end) { pieces.push_back({begin, end}); });
  return pieces;
}

TEST(Shares, OneThreadCanDoEverything) {
  for (int64_t n : {1, 2, 7, 64, 1000, 1000000})
    for (int64_t grain : {1, 3, 500, 2000000})
      for (int threads : {1, 2, 3, 64}) {
        Shares shares(10, 10 + n, grain, threads);
        std::vector<int> seen(static_cast<size_t>(n));
        for (const Piece& piece : pieces_of(shares, 1)) {
          EXPECT_LT(piece.begin, piece.end);
          for (int64_t i = piece.begin; i < piece.end; ++i) ++seen[static_cast<size_t>(i - 10)];
        }
        for (const int count : seen) ASSERT_EQ(count, 1);
        EXPECT_TRUE(pieces_of(shares, 0).empty());
      }
}

TEST(Shares, PiecesAreNotSmallerThanTheGrain) {
  Shares shares(0, 1000, 100, 4);
  EXPECT_EQ(shares.threads(), 4);
  for (const Piece& piece : pieces_of(shares, 0)) EXPECT_GE(piece.end - piece.begin, 100);
  EXPECT_EQ(Shares(0, 250, 100, 4).threads(), 2);
  EXPECT_EQ(Shares(0, 50, 100, 4).threads(), 1);
}

// Thread 1 begins in the second half, goes on to its end, and then takes the rest from the back.
TEST(Shares, AThreadHasTheSameIterationsEveryTime) {
  Shares shares(0, 80, 10, 2);
  std::vector<int64_t> begins;
  for (const Piece& piece : pieces_of(shares, 1)) begins.push_back(piece.begin);
  EXPECT_EQ(begins, (std::vector<int64_t>{40, 50, 60, 70, 30, 20, 10, 0}));
}

TEST(Shares, LongLoopsHaveLargePiecesFirst) {
  Shares shares(0, 1024, 1, 2);
  const std::vector<Piece> pieces = pieces_of(shares, 0);
  EXPECT_EQ(pieces.front().end, 64);
  EXPECT_EQ(pieces.back().begin, 512);
  EXPECT_EQ(pieces.back().end, 520);
}

TEST(Shares, ShortLoopsAreTakenInHalves) {
  Shares shares(0, 160, 10, 2, true);
  std::vector<int64_t> begins;
  for (const Piece& piece : pieces_of(shares, 1)) begins.push_back(piece.begin);
  EXPECT_EQ(begins, (std::vector<int64_t>{80, 120, 140, 150, 40, 20, 10, 0}));
}

TEST(Shares, KnowsWhatThreadsSpent) {
  Shares shares(0, 100, 1, 2);
  EXPECT_EQ(shares.spent().threads, 0);
  shares.add_spent(0, 5);
  shares.add_spent(3, 7);
  EXPECT_EQ(shares.spent().threads, 2);
  EXPECT_EQ(shares.spent().nanoseconds, 12);
}

TEST(Shares, ThreadsDoEverythingOnce) {
  for (int round = 0; round < 50; ++round) {
    Shares shares(0, 100000, 7, 4);
    std::vector<std::atomic<int>> seen(100000);
    const auto work = [&](int thread) {
      shares.work_on(thread, [&](int64_t begin, int64_t end) {
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

TEST(Team, NobodyWorksOnALoopThatHasEnded) {
  Team team(3);
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
    ASSERT_TRUE(team.run(3, call, &work, sizeof work, 0,
                         [&] { threads.emplace_back([&] { team.help(next++); }); }));
    ASSERT_EQ(work.inside, 0);
    ASSERT_LE(work.left, 0);
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Team, HasOneLoopAtATime) {
  Team team(1);
  struct Inner {
    Team* team;
    bool ran = true;
  } inner{&team};
  const auto outer = [](void* env, int) {
    auto* shared = static_cast<Inner*>(env);
    shared->ran = shared->team->run(0, [](void*, int) {}, nullptr, 0, 0, [] {});
  };
  EXPECT_TRUE(team.run(0, outer, &inner, sizeof inner, 0, [] {}));
  EXPECT_FALSE(inner.ran);
}

}  // namespace
}  // namespace skald::runtime
