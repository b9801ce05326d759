// SPDX-License-Identifier: Apache-2.0
// The C++ side of SkaldContext: one run of one entry point, and what went wrong in it.  Cheap to
// make; several runs may share one thread pool and go on at the same time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <type_traits>
#include <vector>

#include "runtime/abi.h"

namespace skald::runtime {

class MemoryBudget;
class ThreadPool;

// What compiled code reported: an id and the values for its message.
struct RunError {
  int64_t id = 0;
  int32_t value_count = 0;
  std::array<int64_t, SKALD_RT_MAX_FAIL_VALUES> values{};
  // The places of the calls around it, innermost first; of deep recursions only the first ones.
  static constexpr int32_t kMaxFrames = 64;
  int32_t frame_count = 0;
  std::array<int32_t, kMaxFrames> frames{};
};

// Keeps the error of the lowest iteration of one loop (or of a whole run, with position 0).
class ErrorSlot {
 public:
  void record(int64_t position, const RunError& error) noexcept;
  // Adds a frame to the error kept, if it is the one of `position`.
  void add_frame(int64_t position, int32_t loc) noexcept;
  // The position of the error kept, or the largest int64_t.
  int64_t lowest() const noexcept { return lowest_.load(std::memory_order_relaxed); }
  std::optional<RunError> error() const noexcept;

 private:
  std::atomic<int64_t> lowest_{std::numeric_limits<int64_t>::max()};
  mutable std::mutex mutex_;
  RunError error_;
};

// Tells skald_rt_fail, for as long as it lives, that this thread executes the piece of a parallel
// loop that begins at iteration `position`, whose errors go to `slot`.
class LoopPiece {
 public:
  LoopPiece(SkaldContext* ctx, ErrorSlot& slot, int64_t position, int fork_depth = 0) noexcept;
  ~LoopPiece();
  LoopPiece(const LoopPiece&) = delete;
  LoopPiece& operator=(const LoopPiece&) = delete;

  // The innermost piece that this thread executes for `ctx`, or null.
  static LoopPiece* current(const SkaldContext* ctx) noexcept;
  // The outermost one, or null.
  static const LoopPiece* outermost(const SkaldContext* ctx) noexcept;

  ErrorSlot& slot() const { return slot_; }
  int64_t position() const { return position_; }
  // How many forks (skald_rt_fork) lie directly in each other here, this one included; 0: it is
  // none.
  int fork_depth() const { return fork_depth_; }

 private:
  SkaldContext* ctx_;
  ErrorSlot& slot_;
  int64_t position_;
  int fork_depth_;
  LoopPiece* outer_;
};

// Records that there were no `bytes` bytes: by the budget, or at all.
void fail_for_memory(SkaldContext* ctx, int64_t bytes, bool by_budget) noexcept;

// Says, before a run, that recursions begin here on this thread.
void mark_first_frame(SkaldContext& ctx) noexcept;

// The values that compiled code computes once in a run; a list, because there are few.
class OnceCells {
 public:
  OnceCells() = default;
  OnceCells(const OnceCells&) = delete;
  OnceCells& operator=(const OnceCells&) = delete;
  ~OnceCells();
  const int64_t* get(int32_t cell) const noexcept;
  void put(int32_t cell, const int64_t* slots, int32_t n, uint64_t blocks) noexcept;

 private:
  struct Cell {
    Cell* next;
    int32_t number;
    uint64_t blocks;
    std::vector<int64_t> slots;
  };
  std::atomic<Cell*> first_{nullptr};
};

}  // namespace skald::runtime

struct SkaldContext {
  // Without a pool, loops are sequential.
  explicit SkaldContext(skald::runtime::ThreadPool* thread_pool = nullptr) : pool(thread_pool) {}

  // Not 0: the run must end.  Compiled code knows that it comes first.
  std::atomic<int32_t> stop{0};
  skald::runtime::ThreadPool* pool;
  skald::runtime::ErrorSlot errors;
  skald::runtime::OnceCells once;
  // What was chosen for the tuning parameters, by row; 0 or no row: nothing.
  std::vector<int64_t> tuning = {};

  // ---- limits; 0 or null: none
  skald::runtime::MemoryBudget* budget = nullptr;
  double seconds = 0;       // a Watchdog keeps it
  int64_t stack_bytes = 0;  // of each thread, for recursive functions
  // Where the stack of the thread that makes this run begins for the program; and a mark of that
  // thread.
  uintptr_t first_frame = 0;
  const void* first_thread = nullptr;
};
static_assert(std::is_standard_layout_v<SkaldContext> && offsetof(SkaldContext, stop) == 0 &&
              sizeof(SkaldContext::stop) == sizeof(int32_t));
