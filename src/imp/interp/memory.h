// SPDX-License-Identifier: Apache-2.0
// Blocks of memory and handles to them.
//
// A handle names a row of a table and a generation: when a block is given back, its row gets a new
// generation, so that a handle to what is gone can be told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "imp/ir/imp.h"

namespace skald::imp::interp {

struct Handle {
  // What the holder of the handle owns.
  enum class Kind : uint8_t {
    kNone,     // no block
    kView,     // nothing
    kCounted,  // a reference
    kScratch,  // the block
    kShared,   // a part of the memory that the threads of a group share
  };
  uint32_t index = 0, generation = 0;
  Kind kind = Kind::kNone;
};

// Who can reach a block.
enum class Where : uint8_t { kHost, kDevice, kThread, kGroup };

struct Block {
  std::unique_ptr<std::byte[]> memory = {};
  int64_t capacity = 0;  // of `memory`
  int64_t bytes = 0;
  int64_t references = 0;  // 0: it is free
  uint32_t generation = 1;
  Where where = Where::kHost;
  const Stmt* made_by = nullptr;  // null: by the caller of the entry point
  std::byte* data() const { return memory.get(); }
};

class Memory {
 public:
  // All blocks together may have so many bytes.
  explicit Memory(int64_t limit) : limit_(limit) {}

  // Gives a handle to no block if there is no memory.
  Handle allocate(int64_t bytes, Where where, Handle::Kind kind, const Stmt* made_by);
  // Null if the handle leads to none, or to one that is gone.
  Block* find(const Handle& handle) {
    Block& block = blocks_[handle.index];
    return handle.kind != Handle::Kind::kNone && block.generation == handle.generation ? &block
                                                                                       : nullptr;
  }
  // Another reference to the block.
  Handle retain(const Handle& handle);
  // Gives back what the handle owns; it leads to no block afterwards.
  void drop(Handle& handle);
  // Some block that nobody has given back, or null.
  const Block* find_left() const;

 private:
  void give_back(Block& block, uint32_t index);

  int64_t limit_, used_ = 0;
  std::vector<Block> blocks_{1};  // the first is none
  std::vector<uint32_t> free_;
};

}  // namespace skald::imp::interp
