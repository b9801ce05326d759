// SPDX-License-Identifier: Apache-2.0
// Parts of caches that the compiler counts with.  Each is a share of a cache, and at most what was
// measured to be good on machines with large caches: nobody has tried more.
//
// Only for what cannot be seen in results: how floats are added up must not depend on it
// (docs/adr/0008-float-reductions-have-a-fixed-association.md).  So where a size decides that, the
// share of the plain caches is taken, which is the same everywhere.
#pragma once

#include <algorithm>

#include "machine/caches.h"

namespace skald::machine {

constexpr int64_t last_level(const Caches& caches) {
  return std::max(caches.l3.bytes, caches.l2.bytes);
}

// ---- bins of a histogram

// Bins that are still in some cache of their thread: an update costs less than moving its point
// twice.
constexpr int64_t cached_bins(const Caches& caches) {
  return std::min<int64_t>(8 << 20, std::max(last_level(caches) / 4, caches.l2.bytes / 2));
}
// Bins of which one thread can use several copies in turn.
constexpr int64_t copied_bins(const Caches& caches) {
  return std::min<int64_t>(16 << 10, caches.l1d.bytes / 2);
}
// The same if that is known to help.
constexpr int64_t surely_copied_bins(const Caches& caches) {
  return std::min<int64_t>(256 << 10, caches.l2.bytes / 4);
}
// A range of bins that one thread updates, while points come from memory.
constexpr int64_t part_of_bins(const Caches& caches) {
  return std::min<int64_t>(256 << 10, caches.l2.bytes / 4);
}

// ---- chunks that a thread goes through twice: with input and output in half of its cache
constexpr int64_t chunk_bytes(const Caches& caches) {
  return std::min<int64_t>(128 << 10, caches.l2.bytes / 4);
}

// ---- rows of different lengths

// From so many bytes on, which are twice what a thread's cache holds, a thread that goes through
// one row after another finds each in its cache again where passes over all rows would not.
constexpr int64_t rows_of_one_thread(const Caches& caches) {
  return std::min<int64_t>(2 << 20, 2 * caches.l2.bytes);
}

// ---- results that go to memory past the caches

// From here on, a result that is read at once is read sooner from memory than from what the caches
// have kept of it (docs/simd.md).
constexpr int64_t streamed_result(const Caches& caches) {
  return std::min<int64_t>(16 << 20, last_level(caches) / 2);
}
// Smaller results of maps may still be in a cache when the next kernel reads them.
constexpr int64_t streamed_map(const Caches& caches) {
  return std::min<int64_t>(64 << 20, 2 * last_level(caches));
}

// The values that all of this was measured with.
static_assert(cached_bins(kPlainCaches) == 8 << 20 && copied_bins(kPlainCaches) == 16 << 10 &&
              surely_copied_bins(kPlainCaches) == 256 << 10 &&
              part_of_bins(kPlainCaches) == 256 << 10 &&
              rows_of_one_thread(kPlainCaches) == 2 << 20 &&
              chunk_bytes(kPlainCaches) == 128 << 10 && streamed_result(kPlainCaches) == 16 << 20 &&
              streamed_map(kPlainCaches) == 64 << 20);

}  // namespace skald::machine
