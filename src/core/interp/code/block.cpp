// SPDX-License-Identifier: Apache-2.0
#include "core/interp/code/block.h"

#include <unistd.h>

#include <cstdlib>
#include <new>

#include "support/machine.h"

namespace skald::core::interp {

namespace {

// The bytes follow the header in one allocation.
constexpr int64_t kHeader = (sizeof(Block) + 15) / 16 * 16;

}  // namespace

MemoryBudget MemoryBudget::of_this_machine() {
  const int64_t all = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return {.limit = available_memory().value_or(all)};
}

BlockRef new_block(int64_t bytes, MemoryBudget& budget) {
  if (bytes < 0 || bytes > budget.limit - budget.used - kHeader) return {};
  void* memory = std::calloc(1, static_cast<size_t>(kHeader + bytes));
  if (memory == nullptr) return {};
  Block* block = new (memory) Block{};
  block->bytes = bytes;
  block->data = static_cast<std::byte*>(memory) + kHeader;
  block->budget = &budget;
  budget.used += kHeader + bytes;
  return BlockRef(block);
}

BlockRef borrow_block(std::shared_ptr<std::vector<std::byte>> bytes, MemoryBudget& budget) {
  BlockRef block = new_block(0, budget);
  if (block) {
    block->bytes = static_cast<int64_t>(bytes->size());
    block->data = bytes->data();
    block->foreign = std::move(bytes);
  }
  return block;
}

void BlockRef::destroy(Block* block) {
  block->budget->used -= kHeader + (block->foreign ? 0 : block->bytes);
  block->~Block();
  std::free(block);
}

}  // namespace skald::core::interp
