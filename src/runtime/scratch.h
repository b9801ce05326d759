// SPDX-License-Identifier: Apache-2.0
// Memory that belongs to a thread: its scratch stack, behind skald_rt_scratch_* (runtime/abi.h).
//
// A scratch stack is a list of pieces; a mark is the number of the piece in use and the bytes used
// of it.  Pieces of parallel loops nest properly on each thread, so do their marks.  A chunk whose
// phases may run on different threads (cpu/ordered.cpp) brings its own stack along.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skald::runtime {

class MemoryBudget;

class ScratchStack {
 public:
  ScratchStack() = default;
  ScratchStack(const ScratchStack&) = delete;
  ScratchStack& operator=(const ScratchStack&) = delete;
  ~ScratchStack();

  int64_t mark() const;
  // Gives back everything allocated since `mark`; a mark of 0 is the beginning.
  void reset(int64_t mark) noexcept;
  // Null if there is no memory.
  void* allocate(int64_t bytes) noexcept;
  // The same, counted against a budget until it is given back; `refused` says if that was the
  // reason.
  void* allocate(int64_t bytes, MemoryBudget& budget, bool& refused) noexcept;
  // What is allocated at present.
  int64_t bytes() const;

 private:
  struct Piece {
    char* memory;
    int64_t size;
    int64_t before = 0;  // bytes used of the pieces before it
  };
  bool advance(int64_t size) noexcept;
  int64_t used_in_all() const {
    return current_ < pieces_.size() ? pieces_[current_].before + used_ : 0;
  }
  void give_back_counted() noexcept;

  std::vector<Piece> pieces_;
  size_t current_ = 0;
  int64_t used_ = 0;
  // What is counted of the bytes in use, and against which budget: all of one run are.
  int64_t counted_ = 0;
  MemoryBudget* budget_ = nullptr;
};

// For as long as it lives, this thread's scratch memory comes from `stack`.
class LentScratch {
 public:
  explicit LentScratch(ScratchStack& stack);
  ~LentScratch();
  LentScratch(const LentScratch&) = delete;
  LentScratch& operator=(const LentScratch&) = delete;

 private:
  ScratchStack* before_;
};

}  // namespace skald::runtime
