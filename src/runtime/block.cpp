// SPDX-License-Identifier: Apache-2.0
// A block's header lies in the 64 bytes before its data, so one allocation serves both.
#include "runtime/block.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>

#include "runtime/budget.h"
#include "runtime/context.h"
#include "runtime/small_blocks.h"
#include "support/machine.h"

namespace skald::runtime {

namespace {

constexpr int64_t kHeaderBytes = SKALD_RT_ALIGNMENT;
static_assert(sizeof(SkaldBlock) <= kHeaderBytes);
// Smaller blocks are the C library's business, apart from what a thread keeps for itself.
constexpr int64_t kPooledBytes = 256 << 10;
// From here on, transparent huge pages are asked for.
constexpr int64_t kHugeBytes = 3 << 20;
constexpr int64_t kHugePage = 2 << 20;
// Blocks that begin at the same place of a page, or of a large page, compete for the same few
// places of the cache where a loop reads and writes several of them at once; and x86 takes a load
// for one that depends on a store if the last twelve bits of their addresses agree.  So each block
// begins a little later than the one allocated before it, and no two of eight in a row, nor the
// last and the next first one, are near in their pages.
constexpr int64_t kColours = 8, kColourBytes = 4096 + 448;
static_assert(kColours <= SKALD_RT_ALIGNMENT && kColourBytes % SKALD_RT_ALIGNMENT == 0);

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kReuse = false;  // so that a use after the last release is found
constexpr int64_t kLargestBlock = int64_t{1} << 39;  // it aborts the process for larger ones
#else
constexpr bool kReuse = true;
constexpr int64_t kLargestBlock = int64_t{1} << 46;  // as much as an address space holds
#endif

int64_t round_up(int64_t n, int64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

// Memory of `total` bytes, header included.
void* raw_allocate(int64_t total) {
  if (!may_allocate(total)) return nullptr;
  const int64_t alignment = total >= kHugeBytes ? kHugePage : kHeaderBytes;
  const int64_t size = round_up(total, alignment);
  void* memory = std::aligned_alloc(static_cast<size_t>(alignment), static_cast<size_t>(size));
  if (memory != nullptr && alignment == kHugePage)
    madvise(memory, static_cast<size_t>(size), MADV_HUGEPAGE);
  return memory;
}

class Pool {
 public:
  // Memory of at least `total` bytes; sets `total` to its true size.
  void* take(int64_t& total) noexcept;
  void give_back(void* memory, int64_t total) noexcept;
  void trim() noexcept;
  PoolStatistics statistics() noexcept {
    std::lock_guard lock(mutex_);
    return stats_;
  }

 private:
  // Frees kept blocks, largest first, until at most `bytes` are kept.
  void shrink_to(int64_t bytes) {
    while (!kept_.empty() && stats_.kept_bytes > bytes) {
      auto last = std::prev(kept_.end());
      stats_.kept_bytes -= last->first;
      std::free(last->second);
      kept_.erase(last);
    }
  }

  std::mutex mutex_;
  std::multimap<int64_t, void*> kept_;
  PoolStatistics stats_;
};

void* Pool::take(int64_t& total) noexcept {
  std::lock_guard lock(mutex_);
  void* memory = nullptr;
  auto fit = kept_.lower_bound(total);
  // Wasting an eighth is better than asking the kernel for pages.
  if (fit != kept_.end() && fit->first - total <= total / 8) {
    // Of several of a size the last one given back: it may be in a cache, and has its pages.
    fit = std::prev(kept_.upper_bound(fit->first));
    memory = fit->second;
    total = fit->first;
    stats_.kept_bytes -= total;
    kept_.erase(fit);
  }
  if (memory == nullptr) {
    const int64_t peak = std::max(stats_.peak_bytes, stats_.live_bytes + total);
    shrink_to(std::max<int64_t>(0, peak + kPoolSlack - stats_.live_bytes - total));
    memory = raw_allocate(total);
    if (memory == nullptr) {
      shrink_to(0);
      memory = raw_allocate(total);
    }
    if (memory == nullptr) return nullptr;
  }
  stats_.live_bytes += total;
  stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.live_bytes);
  return memory;
}

void Pool::give_back(void* memory, int64_t total) noexcept {
  std::lock_guard lock(mutex_);
  stats_.live_bytes -= total;
  bool keep =
      kReuse && stats_.live_bytes + stats_.kept_bytes + total <= stats_.peak_bytes + kPoolSlack;
  if (keep) try {
      kept_.emplace(total, memory);
      stats_.kept_bytes += total;
    } catch (const std::bad_alloc&) {
      keep = false;
    }
  if (!keep) std::free(memory);
}

void Pool::trim() noexcept {
  std::lock_guard lock(mutex_);
  shrink_to(0);
}

// Never destroyed: blocks may be released by destructors of other static objects.
Pool& pool() {
  static Pool& the_pool = *new Pool;
  return the_pool;
}

void destroy_small(SkaldBlock* block) {
  block->destroy = destroy_small;  // one that counted did something else
  if (!kReuse || !small_blocks.keep(block)) std::free(block);
}

// `owner` holds the size of the memory, which is a multiple of the alignment, plus its colour.
void destroy_pooled(SkaldBlock* block) {
  const auto sum = reinterpret_cast<intptr_t>(block->owner);
  const int64_t colour = sum % SKALD_RT_ALIGNMENT;
  pool().give_back(reinterpret_cast<char*>(block) - colour * kColourBytes, sum - colour);
}

SkaldBlock* allocate_uncounted(int64_t bytes) noexcept {
  if (bytes < 0 || bytes > kLargestBlock) return nullptr;
  if (SkaldBlock* kept = kReuse ? small_blocks.take(bytes) : nullptr) return kept;
  int64_t total = SmallBlocks::memory_of(bytes);
  const bool pooled = total >= kPooledBytes;
  if (pooled) total += (kColours - 1) * kColourBytes;
  auto* memory = static_cast<char*>(pooled ? pool().take(total) : raw_allocate(total));
  if (memory == nullptr) return nullptr;
  void* owner = nullptr;
  if (pooled) {
    static std::atomic<uint32_t> allocated{0};
    const int64_t colour = allocated.fetch_add(1, std::memory_order_relaxed) % kColours;
    memory += colour * kColourBytes;
    owner = reinterpret_cast<void*>(total + colour);
  }
  return new (memory) SkaldBlock{.data = memory + kHeaderBytes,
                                 .bytes = bytes,
                                 .refs = 1,
                                 .destroy = pooled ? destroy_pooled : destroy_small,
                                 .owner = owner};
}

// A block that counts has its budget behind its header.
struct CountedBlock {
  SkaldBlock block;
  MemoryBudget* budget;
};
static_assert(sizeof(CountedBlock) <= kHeaderBytes);

// What a block of so many bytes counts.
int64_t counted_bytes(int64_t bytes) {
  return kHeaderBytes + round_up(bytes, SKALD_RT_ALIGNMENT);
}

void destroy_counted(SkaldBlock* block) {
  MemoryBudget* budget = reinterpret_cast<CountedBlock*>(block)->budget;
  budget->give_back(counted_bytes(block->bytes));
  budget->release();
  // Only pooled blocks have an owner.
  block->owner == nullptr ? destroy_small(block) : destroy_pooled(block);
}

SkaldBlock* allocate_counted(int64_t bytes, MemoryBudget& budget, bool* refused) noexcept {
  if (bytes < 0 || bytes > kLargestBlock) return nullptr;
  if (!budget.take(counted_bytes(bytes))) {
    if (refused != nullptr) *refused = true;
    return nullptr;
  }
  SkaldBlock* block = allocate_uncounted(bytes);
  if (block == nullptr) {
    budget.give_back(counted_bytes(bytes));
    return nullptr;
  }
  budget.retain();
  reinterpret_cast<CountedBlock*>(block)->budget = &budget;
  block->destroy = destroy_counted;
  return block;
}

struct AdoptedBlock {
  SkaldBlock block;
  void (*release)(void* data, void* argument);
  void* argument;
};

void destroy_adopted(SkaldBlock* block) {
  auto* adopted = static_cast<AdoptedBlock*>(block->owner);
  if (adopted->release != nullptr) adopted->release(block->data, adopted->argument);
  delete adopted;
}

}  // namespace

SkaldBlock* allocate_block(int64_t bytes, MemoryBudget* budget, bool* refused) noexcept {
  return budget == nullptr ? allocate_uncounted(bytes) : allocate_counted(bytes, *budget, refused);
}

SkaldBlock* adopt_block(void* data, int64_t bytes, void (*release)(void* data, void* argument),
                        void* argument) noexcept {
  auto* adopted = new (std::nothrow) AdoptedBlock;
  if (adopted == nullptr) return nullptr;
  adopted->block = {
      .data = data, .bytes = bytes, .refs = 1, .destroy = destroy_adopted, .owner = adopted};
  adopted->release = release;
  adopted->argument = argument;
  return &adopted->block;
}

void trim_pool() noexcept {
  pool().trim();
}

PoolStatistics pool_statistics() noexcept {
  return pool().statistics();
}

}  // namespace skald::runtime

SkaldBlock* skald_rt_alloc(SkaldContext* ctx, int64_t bytes) {
  // What recursive functions do most of the time.
  if (ctx->budget == nullptr && skald::runtime::kReuse)
    if (SkaldBlock* kept = skald::runtime::small_blocks.take(bytes)) return kept;
  bool refused = false;
  SkaldBlock* block = skald::runtime::allocate_block(bytes, ctx->budget, &refused);
  if (block == nullptr) skald::runtime::fail_for_memory(ctx, bytes, refused);
  return block;
}

SkaldSmallBlocks* skald_rt_small_blocks(SkaldContext* ctx) {
  static SkaldSmallBlocks none = {};
  const bool may_keep = ctx->budget == nullptr && skald::runtime::kReuse;
  return may_keep ? skald::runtime::small_blocks.lists(skald::runtime::destroy_small) : &none;
}

void skald_rt_retain(SkaldBlock* block) {
  if (block != nullptr) std::atomic_ref(block->refs).fetch_add(1, std::memory_order_relaxed);
}

void skald_rt_release_all(SkaldBlock** blocks, int64_t n) {
  for (int64_t k = 0; k < n; ++k) skald_rt_release(blocks[k]);
}

void skald_rt_release(SkaldBlock* block) {
  if (block == nullptr) return;
  const std::atomic_ref refs(block->refs);
  // Nobody can add to the only reference, so there is nothing to count down.
  if (refs.load(std::memory_order_acquire) != 1 &&
      refs.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  if (block->destroy == skald::runtime::destroy_small)
    skald::runtime::destroy_small(block);
  else
    block->destroy(block);
}
