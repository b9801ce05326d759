// SPDX-License-Identifier: Apache-2.0
// Memory blocks: alignment, reference counts, reuse, and failing without a crash.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>
#include <thread>
#include <vector>

#include "runtime/block.h"
#include "runtime/budget.h"
#include "runtime/context.h"

namespace skald::runtime {
namespace {

TEST(Block, IsAlignedAndPadded) {
  for (int64_t bytes : {int64_t{0}, int64_t{1}, int64_t{100}, int64_t{1} << 20, int64_t{5} << 20}) {
    SkaldBlock* block = allocate_block(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(block->bytes, bytes);
    EXPECT_EQ(block->refs, 1);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block->data) % SKALD_RT_ALIGNMENT, 0u);
    std::memset(block->data, 1, static_cast<size_t>((bytes + 63) / 64 * 64));
    skald_rt_retain(block);
    skald_rt_release(block);
    skald_rt_release(block);
  }
  skald_rt_retain(nullptr);
  skald_rt_release(nullptr);
}

TEST(Block, TooMuchIsAFailureOfTheRun) {
  for (int64_t bytes : {int64_t{-1}, int64_t{1} << 60, std::numeric_limits<int64_t>::max()}) {
    SkaldContext ctx;
    EXPECT_EQ(skald_rt_alloc(&ctx, bytes), nullptr);
    ASSERT_TRUE(ctx.errors.error().has_value());
    EXPECT_EQ(ctx.errors.error()->id, SKALD_RT_OUT_OF_MEMORY);
    EXPECT_EQ(ctx.errors.error()->values[0], bytes);
  }
}

TEST(Block, AdoptedMemoryIsReleasedOnce) {
  int released = 0;
  int data[4] = {};
  SkaldBlock* block = adopt_block(
      data, sizeof data, [](void*, void* argument) { ++*static_cast<int*>(argument); }, &released);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block->data, data);
  skald_rt_retain(block);
  skald_rt_release(block);
  EXPECT_EQ(released, 0);
  skald_rt_release(block);
  EXPECT_EQ(released, 1);
}

TEST(Block, PoolKeepsNoMoreThanItsPeak) {
  trim_pool();
  EXPECT_EQ(pool_statistics().kept_bytes, 0);
  for (int64_t megabytes : {100, 90, 120, 1, 200, 199, 50}) {
    SkaldBlock* block = allocate_block(megabytes << 20);
    ASSERT_NE(block, nullptr);
    skald_rt_release(block);
    const PoolStatistics now = pool_statistics();
    EXPECT_LE(now.live_bytes + now.kept_bytes, now.peak_bytes + kPoolSlack);
  }
  trim_pool();
  EXPECT_EQ(pool_statistics().kept_bytes, 0);
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(Block, AReleasedBlockIsUsedAgain) {
  SkaldBlock* first = allocate_block(8 << 20);
  ASSERT_NE(first, nullptr);
  skald_rt_release(first);
  SkaldBlock* second = allocate_block((8 << 20) - 1000);
  // Not quite at the same place; see below.
  constexpr int64_t kNear = 64 << 10;
  EXPECT_LT(std::abs(reinterpret_cast<char*>(first) - reinterpret_cast<char*>(second)), kNear);
  EXPECT_EQ(second->bytes, (8 << 20) - 1000);
  skald_rt_release(second);
  trim_pool();
}

// Its memory may be in a cache.
TEST(Block, TheLastReleasedBlockIsUsedFirst) {
  SkaldBlock* first = allocate_block(1 << 20);
  SkaldBlock* second = allocate_block(1 << 20);
  ASSERT_NE(second, nullptr);
  skald_rt_release(first);
  skald_rt_release(second);
  SkaldBlock* third = allocate_block(1 << 20);
  constexpr int64_t kNear = 64 << 10;
  EXPECT_LT(std::abs(reinterpret_cast<char*>(second) - reinterpret_cast<char*>(third)), kNear);
  skald_rt_release(third);
  trim_pool();
}
#endif

// Threads keep small blocks in classes of sizes: what is taken again must be large enough.
TEST(Block, SmallBlocksNeverOverlap) {
  std::vector<SkaldBlock*> live;
  for (int round = 0; round < 3; ++round) {
    for (int64_t bytes = 0; bytes < 70'000; bytes += 1 + bytes / 7) {
      SkaldBlock* block = allocate_block(bytes);
      ASSERT_NE(block, nullptr);
      ASSERT_EQ(block->bytes, bytes);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(block->data) % SKALD_RT_ALIGNMENT, 0U);
      std::memset(block->data, static_cast<int>(live.size() % 251), static_cast<size_t>(bytes));
      live.push_back(block);
    }
    for (size_t k = 0; k < live.size(); ++k) {
      const auto* data = static_cast<const unsigned char*>(live[k]->data);
      for (int64_t i = 0; i < live[k]->bytes; ++i) ASSERT_EQ(data[i], k % 251);
    }
    // Every second one, by another thread, too.
    std::thread other([&] {
      for (size_t k = 0; k < live.size(); k += 2) skald_rt_release(live[k]);
    });
    other.join();
    for (size_t k = 1; k < live.size(); k += 2) skald_rt_release(live[k]);
    live.clear();
  }
}

// What compiled code counts on when it takes and keeps small blocks itself.
#if !defined(__SANITIZE_ADDRESS__)
TEST(Block, SmallBlocksLieInListsBySize) {
  SkaldContext ctx;
  SkaldSmallBlocks* lists = skald_rt_small_blocks(&ctx);
  for (int64_t units = 0; units < SKALD_RT_EVEN_CLASSES; ++units) {
    SkaldBlock* block = skald_rt_alloc(&ctx, units * SKALD_RT_ALIGNMENT);
    EXPECT_EQ(block->destroy, lists->destroy);
    skald_rt_release(block);
    EXPECT_EQ(lists->kept[units], block);
    const int64_t room = lists->room;
    EXPECT_EQ(skald_rt_alloc(&ctx, units * SKALD_RT_ALIGNMENT), block);
    EXPECT_EQ(block->owner, nullptr);
    EXPECT_EQ(lists->room, room + (units + 1) * SKALD_RT_ALIGNMENT);
    skald_rt_release(block);
    EXPECT_EQ(lists->room, room);
  }
}
#endif

TEST(Block, RunsWithALimitHaveNoSmallBlocks) {
  const BudgetRef budget = BudgetRef::with_limit(4 << 20);
  SkaldContext ctx;
  ctx.budget = budget.get();
  const SkaldSmallBlocks* lists = skald_rt_small_blocks(&ctx);
  EXPECT_EQ(lists->room, 0);
  for (const SkaldBlock* first : lists->kept) EXPECT_EQ(first, nullptr);
}

// So that arrays that a loop goes through at once do not compete for places in the cache.
TEST(Block, LargeBlocksBeginAtDifferentPlacesOfAPage) {
  std::vector<SkaldBlock*> blocks;
  std::set<uintptr_t> places;
  for (int k = 0; k < 4; ++k) {
    blocks.push_back(allocate_block(8 << 20));
    ASSERT_NE(blocks.back(), nullptr);
    const auto address = reinterpret_cast<uintptr_t>(blocks.back()->data);
    EXPECT_EQ(address % SKALD_RT_ALIGNMENT, 0u);
    places.insert(address % 4096);
    std::memset(blocks.back()->data, k, 8 << 20);
  }
  EXPECT_EQ(places.size(), 4u);
  for (SkaldBlock* block : blocks) skald_rt_release(block);
  trim_pool();
}

TEST(MemoryBudget, CountsBlocksOfAllSizesForAsLongAsTheyLive) {
  SkaldBlock* held = nullptr;
  {
    const BudgetRef budget = BudgetRef::with_limit(4 << 20);
    SkaldContext ctx;
    ctx.budget = budget.get();
    for (const int64_t bytes : {int64_t{1}, int64_t{100'000}, int64_t{3} << 20}) {
      SkaldBlock* block = skald_rt_alloc(&ctx, bytes);
      ASSERT_NE(block, nullptr);
      EXPECT_GE(budget.get()->used(), bytes);
      skald_rt_release(block);
      EXPECT_EQ(budget.get()->used(), 0);
    }
    held = skald_rt_alloc(&ctx, 3 << 20);
    EXPECT_EQ(skald_rt_alloc(&ctx, 2 << 20), nullptr);
    ASSERT_TRUE(ctx.errors.error());
    EXPECT_EQ(ctx.errors.error()->id, SKALD_RT_MEMORY_LIMIT);
    EXPECT_EQ(ctx.errors.error()->values[0], 2 << 20);
    EXPECT_EQ(ctx.errors.error()->values[1], 4 << 20);
  }
  // It outlives the budget's owner.
  skald_rt_release(held);
}

TEST(MemoryBudget, CountsScratchMemoryUntilItIsGivenBack) {
  const BudgetRef budget = BudgetRef::with_limit(1 << 20);
  SkaldContext ctx;
  ctx.budget = budget.get();
  const int64_t mark = skald_rt_scratch_mark();
  ASSERT_NE(skald_rt_scratch_alloc(&ctx, 100'000), nullptr);
  const int64_t inner = skald_rt_scratch_mark();
  ASSERT_NE(skald_rt_scratch_alloc(&ctx, 400'000), nullptr);
  EXPECT_GE(budget.get()->used(), 500'000);
  EXPECT_EQ(skald_rt_scratch_alloc(&ctx, 600'000), nullptr);
  EXPECT_EQ(ctx.errors.error()->id, SKALD_RT_MEMORY_LIMIT);
  skald_rt_scratch_reset(inner);
  EXPECT_GE(budget.get()->used(), 100'000);
  EXPECT_LT(budget.get()->used(), 101'000);
  EXPECT_NE(skald_rt_scratch_alloc(&ctx, 600'000), nullptr);
  skald_rt_scratch_reset(mark);
  EXPECT_EQ(budget.get()->used(), 0);
}

}  // namespace
}  // namespace skald::runtime
