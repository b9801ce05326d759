// SPDX-License-Identifier: Apache-2.0
#include "imp/interp/memory.h"

#include <cstring>
#include <new>

namespace skald::imp::interp {

namespace {

// What fresh memory holds: a large negative integer, a float that is neither small nor NaN.
constexpr int kPattern = 0xc5;
// Blocks up to this size keep their memory when they are given back.
constexpr int64_t kKeptBytes = 1 << 16;

}  // namespace

Handle Memory::allocate(int64_t bytes, Where where, Handle::Kind kind, const Stmt* made_by) {
  if (bytes < 0 || bytes > limit_ - used_) return {};
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(blocks_.size()));
    blocks_.emplace_back();
  }
  const uint32_t index = free_.back();
  Block& block = blocks_[index];
  if (block.capacity < bytes || block.memory == nullptr) {
    std::byte* memory = new (std::nothrow) std::byte[static_cast<size_t>(bytes) + 1];
    if (memory == nullptr) return {};
    block.memory.reset(memory);
    block.capacity = bytes;
  }
  free_.pop_back();
  if (bytes > 0) std::memset(block.data(), kPattern, static_cast<size_t>(bytes));
  used_ += bytes;
  block.bytes = bytes;
  block.references = 1;
  block.where = where;
  block.made_by = made_by;
  return {index, block.generation, kind};
}

Handle Memory::retain(const Handle& handle) {
  Block* block = find(handle);
  if (block == nullptr) return {};
  ++block->references;
  return {handle.index, handle.generation, Handle::Kind::kCounted};
}

void Memory::drop(Handle& handle) {
  const bool owns = handle.kind == Handle::Kind::kCounted || handle.kind == Handle::Kind::kScratch;
  Block* block = owns ? find(handle) : nullptr;
  if (block != nullptr && --block->references == 0) give_back(*block, handle.index);
  handle = {};
}

void Memory::give_back(Block& block, uint32_t index) {
  used_ -= block.bytes;
  ++block.generation;
  if (block.capacity > kKeptBytes) {
    block.memory.reset();
    block.capacity = 0;
  }
  free_.push_back(index);
}

const Block* Memory::find_left() const {
  for (const Block& block : blocks_)
    if (block.references > 0) return &block;
  return nullptr;
}

}  // namespace skald::imp::interp
