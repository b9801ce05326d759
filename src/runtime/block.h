// SPDX-License-Identifier: Apache-2.0
// Blocks of memory behind arrays (SkaldBlock, see abi.h) and the process-wide pool they come from.
//
// Large blocks that were released are kept for the next allocation of about the same size, since
// fresh pages from the kernel cost more than most loops over them.  The pool never makes the
// process larger than the most it had in use at once, plus kPoolSlack.
#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace skald::runtime {

class MemoryBudget;

inline constexpr int64_t kPoolSlack = 32 << 20;

// A block with one reference and undefined contents, or null if there is not that much memory.
// With a budget it is counted against it for as long as it lives, and `refused` says if that was
// the reason.
SkaldBlock* allocate_block(int64_t bytes, MemoryBudget* budget = nullptr,
                           bool* refused = nullptr) noexcept;

// A block with one reference for memory that somebody else allocated; `release(data, argument)` is
// called when the last reference goes (it may be null).  Null if there is no memory for the header.
SkaldBlock* adopt_block(void* data, int64_t bytes, void (*release)(void* data, void* argument),
                        void* argument) noexcept;

// Returns all memory that the pool keeps to the system.
void trim_pool() noexcept;

struct PoolStatistics {
  int64_t live_bytes = 0, peak_bytes = 0, kept_bytes = 0;
};
PoolStatistics pool_statistics() noexcept;

}  // namespace skald::runtime
