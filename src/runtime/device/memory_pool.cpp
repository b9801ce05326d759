// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/memory_pool.h"

#include <algorithm>
#include <cstdlib>

#include "support/bug.h"

namespace skald::runtime {

namespace {

// A share of the memory of a GPU is kept; less of other devices, whose memory is the host's.
constexpr int64_t kKeptShare = 4;
constexpr int64_t kKeptElsewhere = int64_t{1} << 30;
// Blocks up to this size may be given for requests of half of it.
constexpr int64_t kSmallBlock = 64 << 10;
constexpr int64_t kDeviceAlignment = 64;

int64_t rounded(int64_t bytes) {
  return (std::max<int64_t>(bytes, 1) + kDeviceAlignment - 1) / kDeviceAlignment * kDeviceAlignment;
}

}  // namespace

bool is_device_block(const SkaldBlock* block) {
  return block != nullptr && block->destroy == DeviceMemoryPool::destroy_block;
}

DeviceMemoryPool::DeviceMemoryPool(std::shared_ptr<DeviceDriver> driver,
                                   std::shared_ptr<Profile> profile)
    : driver_(std::move(driver)),
      profile_(std::move(profile)),
      exact_(std::getenv("SKALD_EXACT_MEMORY") != nullptr) {}

DeviceMemoryPool::~DeviceMemoryPool() {
  drop_until(0);
}

int64_t DeviceMemoryPool::most_kept() const {
  if (exact_) return 0;
  const DeviceFacts& facts = driver_->facts();
  return facts.is_gpu && facts.memory > 0 ? facts.memory / kKeptShare : kKeptElsewhere;
}

DeviceMemory DeviceMemoryPool::take(int64_t& bytes) {
  bytes = exact_ ? std::max<int64_t>(bytes, 1) : rounded(bytes);
  DeviceMemory memory = nullptr;
  auto fit = kept_.lower_bound(bytes);
  // Of equal ones the last: it may still be in a cache, and loops get the same ones every time.
  if (fit != kept_.end()) fit = std::prev(kept_.upper_bound(fit->first));
  const int64_t spare = bytes <= kSmallBlock ? bytes : bytes / 8;
  if (fit != kept_.end() && fit->first - bytes <= spare) {
    memory = fit->second.memory;
    bytes = fit->first;
    usage_.kept_bytes -= bytes;
    kept_.erase(fit);
  } else {
    memory = make(bytes);
  }
  if (memory == nullptr) return nullptr;
  usage_.live_bytes += bytes;
  usage_.peak_bytes = std::max(usage_.peak_bytes, usage_.live_bytes);
  return memory;
}

DeviceMemory DeviceMemoryPool::make(int64_t bytes) {
  if (driver_->facts().memory > 0 && bytes > driver_->facts().memory) return nullptr;
  const int64_t start = profile_->now();
  DeviceMemory memory = driver_->allocate(bytes);
  // As much as is missing at first, then everything.
  for (const int64_t keep : {std::max<int64_t>(usage_.kept_bytes - bytes, 0), int64_t{0}}) {
    if (memory != nullptr || kept_.empty()) break;
    drop_until(keep);
    memory = driver_->allocate(bytes);
  }
  if (memory != nullptr) profile_->add_host_event(EventKind::kAllocate, "", bytes, start);
  return memory;
}

void DeviceMemoryPool::give_back(DeviceMemory memory, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  usage_.live_bytes -= bytes;
  kept_.emplace(bytes, Kept{memory, ++clock_});
  usage_.kept_bytes += bytes;
  if (usage_.kept_bytes > most_kept()) drop_until(most_kept());
}

void DeviceMemoryPool::drop_until(int64_t kept_bytes) {
  while (!kept_.empty() && usage_.kept_bytes > kept_bytes) {
    const auto oldest =
        std::ranges::min_element(kept_, {}, [](const auto& each) { return each.second.since; });
    driver_->free(oldest->second.memory);
    usage_.kept_bytes -= oldest->first;
    kept_.erase(oldest);
  }
}

SkaldBlock* DeviceMemoryPool::allocate(int64_t bytes, bool* refused) {
  // Larger requests overflow when they are rounded.
  constexpr int64_t kLargest = int64_t{1} << 46;
  if (bytes < 0 || bytes > kLargest) return nullptr;
  MemoryBudget* budget = budget_.get();
  if (budget != nullptr && !budget->take(rounded(bytes))) {
    if (refused != nullptr) *refused = true;
    return nullptr;
  }
  int64_t capacity = bytes;
  DeviceMemory memory = nullptr;
  {
    const std::lock_guard lock(mutex_);
    memory = take(capacity);
  }
  if (memory == nullptr) {
    if (budget != nullptr) budget->give_back(rounded(bytes));
    return nullptr;
  }
  DeviceBlock* block = new_block(memory, bytes);
  block->capacity = capacity;
  block->budget = budget_;
  return block;
}

DeviceBlock* DeviceMemoryPool::new_block(DeviceMemory memory, int64_t bytes) {
  auto* block = new DeviceBlock;
  block->data = nullptr;
  block->bytes = bytes;
  block->refs = 1;
  block->owner = this;
  block->destroy = destroy_block;
  block->memory = memory;
  block->pool = shared_from_this();
  return block;
}

SkaldBlock* DeviceMemoryPool::adopt(DeviceMemory memory, int64_t bytes,
                                    void (*release)(void* memory, void* argument), void* argument) {
  DeviceBlock* block = new_block(memory, bytes);
  block->release = release != nullptr ? release : [](void*, void*) {};
  block->argument = argument;
  return block;
}

SkaldBlock* DeviceMemoryPool::first_part(SkaldBlock* whole, int64_t bytes) {
  SKALD_CHECK(owns(whole) && bytes >= 0 && bytes <= whole->bytes, "a part of {} bytes of a block",
              bytes);
  auto* part = new DeviceBlock(as_device_block(whole));
  part->bytes = bytes;
  part->refs = 1;
  part->whole = whole;
  skald_rt_retain(whole);
  return part;
}

bool DeviceMemoryPool::owns(const SkaldBlock* block) const {
  return is_device_block(block) && as_device_block(block).pool.get() == this;
}

void DeviceMemoryPool::destroy_block(SkaldBlock* block) {
  const std::unique_ptr<DeviceBlock> own(static_cast<DeviceBlock*>(block));
  if (own->whole != nullptr)
    skald_rt_release(own->whole);
  else if (own->release != nullptr)
    own->release(own->memory, own->argument);
  else
    own->pool->give_back(own->memory, own->capacity);
  if (own->whole == nullptr && own->budget.get() != nullptr)
    own->budget.get()->give_back(rounded(own->bytes));
}

void DeviceMemoryPool::set_limit(int64_t bytes) {
  budget_ = BudgetRef::with_limit(bytes);
}

DeviceMemoryPool::Usage DeviceMemoryPool::usage() const {
  const std::lock_guard lock(mutex_);
  return usage_;
}

void DeviceMemoryPool::trim() {
  const std::lock_guard lock(mutex_);
  drop_until(0);
}

}  // namespace skald::runtime
