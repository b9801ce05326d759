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
  // What is allocated at present.
  int64_t bytes() const;

 private:
  struct Piece {
    char* memory;
    int64_t size;
  };
  bool advance(int64_t size) noexcept;

  std::vector<Piece> pieces_;
  size_t current_ = 0;
  int64_t used_ = 0;
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
