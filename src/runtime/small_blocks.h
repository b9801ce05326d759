// SPDX-License-Identifier: Apache-2.0
// Small blocks that a thread has released, for its next ones: recursive functions and points of
// kernels allocate many, and the C library takes a lock for each that is aligned like ours.
//
// A kept block has its header, so that it is ready as it is; `owner` leads to the next one of its
// size.  There is nothing to construct before the first use, and the thread frees what it has when
// it ends.
#pragma once

#include <bit>
#include <cstdint>

#include "runtime/abi.h"

namespace skald::runtime {

class SmallBlocks {
 public:
  // A block of so many bytes, without an owner and with one reference; null if there is none.
  SkaldBlock* take(int64_t bytes) {
    if (static_cast<uint64_t>(bytes) > kLargestKept) return nullptr;
    const SizeClass size = size_class(bytes);
    SkaldBlock*& head = lists_.kept[size.number];
    SkaldBlock* block = head;
    if (block == nullptr) return nullptr;
    head = static_cast<SkaldBlock*>(block->owner);
    lists_.room += size.total;
    block->bytes = bytes;
    block->refs = 1;
    block->owner = nullptr;
    return block;
  }

  // False if the block must be freed.
  bool keep(SkaldBlock* block) {
    if (static_cast<uint64_t>(block->bytes) > kLargestKept) return false;
    const SizeClass size = size_class(block->bytes);
    if (lists_.room < size.total && !make_room(size)) return false;
    lists_.room -= size.total;
    SkaldBlock*& head = lists_.kept[size.number];
    block->owner = head;
    head = block;
    used_ |= uint64_t{1} << size.number;
    return true;
  }

  // Frees all, and keeps none from now on.
  void close();
  // For compiled code; `destroy` is that of blocks that may be kept.
  SkaldSmallBlocks* lists(void (*destroy)(SkaldBlock*)) {
    lists_.destroy = destroy;
    return &lists_;
  }

  // The memory for a block of so many bytes, with its header.
  static int64_t memory_of(int64_t bytes) {
    const int64_t units = (bytes + kUnit - 1) / kUnit + 1;
    return static_cast<uint64_t>(bytes) > kLargestKept ? units * kUnit : size_class(bytes).total;
  }

 private:
  struct SizeClass {
    uint32_t number;
    int64_t total;  // the memory of all blocks of the class
  };
  // Blocks up to 1 KiB have a size that is a multiple of the alignment, larger ones one of eight
  // sizes between two powers of two.
  static SizeClass size_class(int64_t bytes) {
    const uint64_t units = (static_cast<uint64_t>(bytes) + kUnit - 1) / kUnit + 1;
    if (units <= kEvenClasses) return {static_cast<uint32_t>(units) - 1, total_of(units)};
    const auto shift = static_cast<uint32_t>(std::bit_width(units - 1)) - 4;
    const uint64_t rounded = ((units - 1) >> shift) + 1;
    return {kEvenClasses + (shift - 1) * 8 + static_cast<uint32_t>(rounded) - 9,
            total_of(rounded << shift)};
  }
  static int64_t total_of(uint64_t units) { return static_cast<int64_t>(units) * kUnit; }
  // Where there is no room, larger blocks go: they are few, and a recursive function that has come
  // down to small arrays does not need them.
  bool make_room(SizeClass size);

  static constexpr int64_t kUnit = SKALD_RT_ALIGNMENT;
  static constexpr int64_t kMostKept = 512 << 10;
  static constexpr uint64_t kLargestKept = (64 << 10) - kUnit;  // without the header
  static constexpr uint32_t kEvenClasses = SKALD_RT_EVEN_CLASSES;
  SkaldSmallBlocks lists_ = {};
  uint64_t used_ = 0;  // a bit for each class that has had blocks, apart from even ones perhaps
  bool is_open_ = false, is_closed_ = false;
};

extern constinit thread_local SmallBlocks small_blocks;

}  // namespace skald::runtime
