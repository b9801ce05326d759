// SPDX-License-Identifier: Apache-2.0
// Parallel loops: every iteration once, fixed chunks, and errors that do not depend on timing.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "runtime/context.h"
#include "runtime/cpu/parallel.h"

namespace skald::runtime {
namespace {

using Body = std::function<void(int64_t begin, int64_t end, int worker)>;

void call_body(void* env, int64_t begin, int64_t end, int32_t worker) {
  (*static_cast<Body*>(env))(begin, end, worker);
}

int32_t parallel_for(SkaldContext& ctx, int64_t n, int64_t grain, Body body) {
  return skald_rt_parallel_for(&ctx, n, grain, call_body, &body);
}

int32_t parallel_chunks(SkaldContext& ctx, int64_t n, int64_t size, Body body) {
  return skald_rt_parallel_chunks(&ctx, n, size, call_body, &body);
}

TEST(ParallelFor, ExecutesEveryIterationOnce) {
  for (int threads : {0, 1, 4}) {
    ThreadPool pool(threads);
    for (int64_t n : {0, 1, 63, 64, 65, 1000, 100000}) {
      for (int64_t grain : {0, 1, 1000}) {
        SkaldContext ctx(&pool);
        std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
        std::atomic<bool> bad_worker = false;
        EXPECT_EQ(0, parallel_for(ctx, n, grain, [&](int64_t begin, int64_t end, int worker) {
                    if (worker < 0 || worker >= skald_rt_workers(&ctx)) bad_worker = true;
                    for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
                  }));
        EXPECT_FALSE(bad_worker);
        for (const auto& count : seen) ASSERT_EQ(count, 1);
      }
    }
  }
}

TEST(ThreadPool, LimitsTheNumberOfThreads) {
  EXPECT_EQ(ThreadPool(3).threads(), 3);
  EXPECT_EQ(ThreadPool(64).threads(), 64);
  EXPECT_EQ(ThreadPool().threads(), ThreadPool().cores());
  const ThreadPool pool(100000);
  EXPECT_EQ(pool.threads(), std::max(64, 4 * pool.cores()));
}

TEST(ParallelFor, WorksWithoutAPool) {
  SkaldContext ctx;
  int64_t sum = 0;
  EXPECT_EQ(0, parallel_for(ctx, 10, 0, [&](int64_t begin, int64_t end, int worker) {
              EXPECT_EQ(worker, 0);
              for (int64_t i = begin; i < end; ++i) sum += i;
            }));
  EXPECT_EQ(sum, 45);
}

TEST(ParallelFor, ReportsTheLowestFailingIteration) {
  ThreadPool pool(4);
  for (int round = 0; round < 50; ++round) {
    SkaldContext ctx(&pool);
    const int32_t failed =
        parallel_for(ctx, 100000, round % 2, [&](int64_t begin, int64_t end, int) {
          for (int64_t i = begin; i < end; ++i) {
            if (i % 1000 != 777) continue;
            const int64_t values[] = {i, 5};
            return skald_rt_fail(&ctx, 3, values, 2);
          }
        });
    EXPECT_EQ(failed, 1);
    EXPECT_EQ(skald_rt_failed(&ctx), 1);
    const auto error = ctx.errors.error();
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->id, 3);
    EXPECT_EQ(error->value_count, 2);
    EXPECT_EQ(error->values[0], 777);
  }
}

TEST(ParallelFor, NestedErrorsAreOrderedToo) {
  ThreadPool pool(4);
  for (int round = 0; round < 20; ++round) {
    SkaldContext ctx(&pool);
    parallel_for(ctx, 100, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const int32_t failed = parallel_for(ctx, 100, 1, [&](int64_t first, int64_t last, int) {
          for (int64_t j = first; j < last; ++j) {
            if (i < 42 || j < 17) continue;
            const int64_t values[] = {i, j};
            return skald_rt_fail(&ctx, 0, values, 2);
          }
        });
        EXPECT_EQ(failed, i >= 42 ? 1 : 0);
        if (failed) return;
      }
    });
    const auto error = ctx.errors.error();
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->values[0], 42);
    EXPECT_EQ(error->values[1], 17);
  }
}

TEST(ParallelFor, ScratchOfAnOuterPieceIsNotShared) {
  ThreadPool pool(4);
  SkaldContext ctx(&pool);
  std::vector<std::atomic<int>> in_use(4);
  std::atomic<bool> shared = false;
  parallel_for(ctx, 200, 1, [&](int64_t, int64_t, int worker) {
    if (in_use[static_cast<size_t>(worker)]++ != 0) shared = true;
    parallel_for(ctx, 50, 1, [](int64_t, int64_t, int) {});
    --in_use[static_cast<size_t>(worker)];
  });
  EXPECT_FALSE(shared);
}

TEST(ParallelFor, RunsOfOnePoolAreIndependent) {
  ThreadPool pool(2);
  SkaldContext good(&pool), bad(&pool);
  const int64_t value = 1;
  pool.run([&] {
    EXPECT_EQ(1, parallel_for(bad, 10, 1,
                              [&](int64_t, int64_t, int) { skald_rt_fail(&bad, 9, &value, 1); }));
    EXPECT_EQ(0, parallel_for(good, 10, 1, [](int64_t, int64_t, int) {}));
  });
  EXPECT_EQ(skald_rt_failed(&bad), 1);
  EXPECT_EQ(skald_rt_failed(&good), 0);
}

TEST(Chunks, SizeIsAFunctionOfTheLength) {
  EXPECT_EQ(skald_rt_chunk_size(0, 1), 1);
  EXPECT_EQ(skald_rt_chunk_size(256, 1), 1);
  EXPECT_EQ(skald_rt_chunk_size(257, 1), 2);
  EXPECT_EQ(skald_rt_chunk_size(1000, 500), 512);
  EXPECT_EQ(skald_rt_chunk_size(100'000'000, 4096), 390656);
  const int64_t huge = std::numeric_limits<int64_t>::max();
  for (int64_t n : {int64_t{1}, int64_t{12345}, int64_t{1} << 40, huge})
    for (int64_t least : {int64_t{1}, int64_t{100}, huge}) {
      const int64_t size = skald_rt_chunk_size(n, least);
      EXPECT_GE(size, least);
      EXPECT_LE((n - 1) / size + 1, SKALD_RT_MAX_CHUNKS);
    }
}

TEST(Chunks, FloatSumDoesNotDependOnThreads) {
  constexpr int64_t kN = 200000;
  std::vector<float> input(kN);
  for (int64_t i = 0; i < kN; ++i) input[static_cast<size_t>(i)] = 1.0f / static_cast<float>(i + 1);
  const int64_t size = skald_rt_chunk_size(kN, 64);
  std::vector<float> sums;
  for (int threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    SkaldContext ctx(&pool);
    std::vector<float> partial(static_cast<size_t>((kN - 1) / size + 1), -1);
    parallel_chunks(ctx, kN, size, [&](int64_t begin, int64_t end, int) {
      EXPECT_EQ(begin % size, 0);
      EXPECT_TRUE(end == kN || end - begin == size);
      float sum = 0;
      for (int64_t i = begin; i < end; ++i) sum += input[static_cast<size_t>(i)];
      partial[static_cast<size_t>(begin / size)] = sum;
    });
    float total = 0;
    for (float p : partial) total += p;
    sums.push_back(total);
  }
  for (float sum : sums) EXPECT_EQ(sum, sums[0]);
}

// A tree of forks of this depth, three branches each, with a loop in every leaf.
void fork_tree(SkaldContext& ctx, int depth, int64_t number, std::vector<std::atomic<int>>& leaves,
               int64_t failing) {
  if (depth == 0) {
    parallel_for(ctx, 10, 1, [&](int64_t begin, int64_t end, int) {
      leaves[static_cast<size_t>(number)] += static_cast<int>(end - begin);
    });
    if (number >= failing) skald_rt_fail(&ctx, 7, &number, 1);
    return;
  }
  Body body = [&](int64_t k, int64_t end, int) {
    EXPECT_EQ(end, k + 1);
    fork_tree(ctx, depth - 1, 3 * number + k, leaves, failing);
  };
  skald_rt_fork(&ctx, 3, call_body, &body);
}

TEST(Fork, ExecutesEveryBranchOnceAndKeepsTheFirstFailure) {
  constexpr int kDepth = 7;
  constexpr size_t kLeaves = 2187;
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    SkaldContext ctx(&pool);
    std::vector<std::atomic<int>> leaves(kLeaves);
    fork_tree(ctx, kDepth, 0, leaves, kLeaves);
    EXPECT_FALSE(ctx.errors.error().has_value());
    for (const auto& count : leaves) ASSERT_EQ(count, 10);
    SkaldContext failing(&pool);
    fork_tree(failing, kDepth, 0, leaves, 1234);
    ASSERT_TRUE(failing.errors.error().has_value());
    EXPECT_EQ(failing.errors.error()->values[0], 1234);
  }
}

TEST(AbiSymbols, AreAllThere) {
  EXPECT_EQ(abi_symbols().size(), 21u);
  for (const AbiSymbol& symbol : abi_symbols()) {
    EXPECT_EQ(std::string(symbol.name).rfind("skald_rt_", 0), 0u);
    EXPECT_NE(symbol.address, nullptr);
  }
}

}  // namespace
}  // namespace skald::runtime
