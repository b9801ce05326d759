// SPDX-License-Identifier: Apache-2.0
// The solvers of the fusion problem, on instances whose best solutions are known.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/random/random.h"
#include "passes/fusion/solve/problem.h"

namespace skald::passes::fusion {
namespace {

// sum1 = sum xs; gts = filter (>0) xs; sum2 = sum gts; ys1 = map (/sum1) xs; ys2 = map (/sum2) xs,
// with the published weights: 25 for pairs that share an array, 1 for others, 5 per array.
Problem normalize2() {
  enum { kSum1, kGts, kSum2, kYs1, kYs2 };
  Problem p;
  p.nodes = 5;
  p.before = {{kSum1, kYs1}, {kSum2, kYs2}};
  p.pairs = {{kSum1, kGts, 25}, {kSum1, kSum2, 1}, {kSum1, kYs2, 25}, {kGts, kSum2, 25, true},
             {kGts, kYs1, 25},  {kSum2, kYs1, 1},  {kYs1, kYs2, 25}};
  p.arrays = {{kGts, 5, {kSum2}}};
  // sum2 runs over what gts gives: together with sum1 or ys1 only if gts is there too.
  p.implies = {{3, 1}, {0, 1}, {3, 5}, {4, 5}};
  return p;
}

TEST(FusionSolve, Normalize2HasOptimum51) {
  const Problem p = normalize2();
  const Solution s = solve(p);
  EXPECT_EQ(s.cluster, (std::vector<int>{0, 0, 0, 3, 3}));
  EXPECT_EQ(s.cost, 51);
  EXPECT_EQ(s.optimal, has_ilp());
}

TEST(FusionSolve, AnOrderPreventsSharing) {
  Problem p = normalize2();
  p.before.emplace_back(0, 1);  // sum1 before gts
  const Solution s = solve(p);
  EXPECT_NE(s.cluster[0], s.cluster[1]);
  EXPECT_TRUE(is_acyclic(p, s.cluster));
}

// 1 and 2 would close a way that leads over 3, later than both, and back by the cluster of 0 and 4.
TEST(FusionSolve, AWayBackThroughAnEarlierCluster) {
  Problem p;
  p.nodes = 5;
  p.before = {{0, 2}, {1, 3}, {3, 4}};
  p.pairs = {{0, 4, 10}, {1, 2, 5}};
  const Solution s = solve_greedy(p);
  EXPECT_TRUE(is_acyclic(p, s.cluster));
  EXPECT_EQ(s.cost, 5);
}

TEST(FusionSolve, IllegalClustersAreCut) {
  Problem p;
  p.nodes = 3;
  p.pairs = {{0, 1, 10, true}, {0, 2, 10, true}, {1, 2, 1}};
  p.arrays = {{0, 4, {1, 2}}};
  p.legal = [](const Cluster& c) { return c.size() < 3; };
  const Solution s = solve(p);
  EXPECT_EQ(s.cost, 10 + 1 + 4);
  EXPECT_EQ(clusters_of(s.cluster).size(), 2u);
}

// Whatever the limit, the solver ends in good order.
TEST(FusionSolve, TinyLimits) {
  Problem p = normalize2();
  for (int k = 0; k < 40; ++k) {
    const Solution s = solve(p, {.effort = {.emergency = std::chrono::milliseconds(k / 4)}});
    EXPECT_LE(s.cost, solve_greedy(p).cost);
    const Solution t = solve(p, {.effort = {.work = k * 10}});
    EXPECT_LE(t.cost, solve_greedy(p).cost);
    EXPECT_FALSE(t.timed_out);
  }
}

// The heaviest pair first is not always best: taking 1-2 forbids both 0-1 and 2-3.
TEST(FusionSolve, ExactBeatsGreedy) {
  if (!has_ilp()) GTEST_SKIP() << "built without CBC";
  Problem p;
  p.nodes = 4;
  p.pairs = {{0, 1, 9}, {1, 2, 10}, {2, 3, 9}};
  p.before = {{0, 2}, {1, 3}};
  EXPECT_EQ(solve_greedy(p).cost, 18);
  const Solution s = solve(p);
  EXPECT_EQ(s.cost, 10);
  EXPECT_TRUE(s.optimal);
}

TEST(FusionSolve, TheSameProgramIsSolvedOnce) {
  if (!has_ilp()) GTEST_SKIP() << "built without CBC";
  Problem p;
  p.nodes = 4;
  p.pairs = {{0, 1, 9}, {1, 2, 10}, {2, 3, 9}};
  p.before = {{0, 2}, {1, 3}};
  SolvedPrograms solved;
  SolveOptions options;
  options.effort.solved = &solved;
  const Solution first = solve(p, options), second = solve(p, options);
  EXPECT_EQ(solved.size(), 1u);
  EXPECT_EQ(first.cluster, second.cluster);
  EXPECT_EQ(first.work, second.work);
  EXPECT_TRUE(second.optimal);
  // Another weight is another program.
  p.pairs[0].weight = 8;
  EXPECT_EQ(solve(p, options).cost, 10);
  EXPECT_EQ(solved.size(), 2u);
}

TEST(FusionSolve, RandomProblemsAreOrderedAndNotWorseThanGreedy) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    core::Random random(seed);
    Problem p;
    p.nodes = random.between(3, 14);
    for (int k = 2; k < 3 * p.nodes; ++k) {
      const Node b = k % (p.nodes - 1) + 1, a = random.below(b);
      if (random.chance(25)) {
        p.before.emplace_back(a, b);
      } else {
        p.pairs.push_back({a, b, static_cast<double>(random.between(1, 50)), random.chance(60)});
        if (p.pairs.back().vertical) p.arrays.push_back({a, 8, {b}, random.chance(20)});
      }
    }
    const Solution greedy = solve_greedy(p), exact = solve(p);
    EXPECT_LE(exact.cost, greedy.cost) << seed;
    EXPECT_TRUE(is_acyclic(p, exact.cluster)) << seed;
    EXPECT_TRUE(is_acyclic(p, greedy.cluster)) << seed;
  }
}

TEST(FusionSolve, ThousandsOfNodesEndQuickly) {
  Problem p;
  p.nodes = 3000;
  for (Node k = 1; k < p.nodes; ++k) {
    p.pairs.push_back({k - 1, k, 8, true});
    p.arrays.push_back({k - 1, 8, {k}});
  }
  EXPECT_EQ(clusters_of(solve(p).cluster).size(), 1u);
}

// The same problem gives the same answer however busy the machine is: here, beside threads that
// leave it little time.
TEST(FusionSolve, TheAnswerDoesNotDependOnTime) {
  const auto problem = [](uint64_t seed) {
    core::Random random(seed);
    Problem p;
    p.nodes = 24;
    for (Node b = 1; b < p.nodes; ++b)
      for (int k = 0; k < 3; ++k) {
        const Node a = random.between(std::max(0, b - 8), b - 1);
        if (random.chance(25)) {
          p.before.emplace_back(a, b);
        } else {
          p.pairs.push_back({a, b, static_cast<double>(random.between(1, 50)), random.chance(60)});
          if (p.pairs.back().vertical) p.arrays.push_back({a, 8, {b}, random.chance(20)});
        }
      }
    return p;
  };
  std::vector<std::vector<int>> quiet;
  for (uint64_t seed = 1; seed <= 2; ++seed) quiet.push_back(solve(problem(seed)).cluster);
  std::atomic<bool> done = false;
  std::vector<std::thread> busy;
  for (int k = 0; k < 3; ++k)
    busy.emplace_back([&] {
      while (!done) {
      }
    });
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    const Solution s = solve(problem(seed));
    EXPECT_FALSE(s.timed_out);
    EXPECT_EQ(s.cluster, quiet[seed - 1]) << seed;
  }
  done = true;
  for (std::thread& thread : busy) thread.join();
}

}  // namespace
}  // namespace skald::passes::fusion
