// SPDX-License-Identifier: Apache-2.0
#include "runtime/small_blocks.h"

#include <cstdlib>

namespace skald::runtime {

constinit thread_local SmallBlocks small_blocks;

namespace {

struct ClosesSmallBlocks {
  ClosesSmallBlocks() = default;
  ClosesSmallBlocks(const ClosesSmallBlocks&) = delete;
  ClosesSmallBlocks& operator=(const ClosesSmallBlocks&) = delete;
  ~ClosesSmallBlocks() { small_blocks.close(); }
  void begin() {}
};
thread_local ClosesSmallBlocks at_the_end_of_the_thread;

}  // namespace

bool SmallBlocks::make_room(SizeClass size) {
  if (is_closed_) return false;
  if (!is_open_) {
    at_the_end_of_the_thread.begin();
    is_open_ = true;
    lists_.room = kMostKept;
  }
  while (lists_.room < size.total) {
    const int largest = static_cast<int>(std::bit_width(used_)) - 1;
    if (largest <= static_cast<int>(size.number)) return false;
    SkaldBlock*& head = lists_.kept[largest];
    if (head == nullptr) {
      used_ &= ~(uint64_t{1} << largest);
      continue;
    }
    SkaldBlock* block = head;
    head = static_cast<SkaldBlock*>(block->owner);
    lists_.room += size_class(block->bytes).total;
    std::free(block);
  }
  return true;
}

void SmallBlocks::close() {
  for (SkaldBlock*& head : lists_.kept)
    while (head != nullptr) {
      SkaldBlock* block = head;
      head = static_cast<SkaldBlock*>(block->owner);
      std::free(block);
    }
  lists_.room = 0;
  used_ = 0;
  is_closed_ = true;
}

}  // namespace skald::runtime
