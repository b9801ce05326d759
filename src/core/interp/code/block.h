// SPDX-License-Identifier: Apache-2.0
// The interpreter's memory: reference-counted blocks of bytes and what limits them.
//
// An interpretation runs in one thread, so counts are plain integers.  Blocks never leave it:
// results are copied out at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace skald::core::interp {

// How many bytes all live blocks of one interpretation may have together.
struct MemoryBudget {
  int64_t limit = 0;
  int64_t used = 0;
  // As much as the machine has to give at this moment.
  static MemoryBudget of_this_machine();
};

struct Block {
  int64_t refs = 0;
  int64_t bytes = 0;
  std::byte* data = nullptr;
  MemoryBudget* budget = nullptr;
  // Set if the bytes belong to the caller of the interpreter.
  std::shared_ptr<std::vector<std::byte>> foreign = {};
  // Made by an Alloc of stage MEMORY: written in place whoever else may look at it.
  bool planned = false;
  // After a Free of stage MEMORY; the bytes are there still, but poisoned.
  bool freed = false;
  // A constant that is computed once: whoever frees it gives back a reference that is not the last.
  bool constant = false;
};

// A counted reference to a block, or to none.
class BlockRef {
 public:
  BlockRef() = default;
  explicit BlockRef(Block* block) : block_(block) {
    if (block_ != nullptr) ++block_->refs;
  }
  BlockRef(const BlockRef& other) : BlockRef(other.block_) {}
  BlockRef(BlockRef&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  BlockRef& operator=(BlockRef other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~BlockRef() {
    if (block_ != nullptr && --block_->refs == 0) destroy(block_);
  }
  explicit operator bool() const { return block_ != nullptr; }
  Block* operator->() const { return block_; }
  Block* get() const { return block_; }

 private:
  static void destroy(Block* block);
  Block* block_ = nullptr;
};

// Zeroed bytes; no block if the budget or the machine does not have them.
BlockRef new_block(int64_t bytes, MemoryBudget& budget);
// The caller's bytes, not copied.  Written only while nobody else holds `bytes`.
BlockRef borrow_block(std::shared_ptr<std::vector<std::byte>> bytes, MemoryBudget& budget);

}  // namespace skald::core::interp
