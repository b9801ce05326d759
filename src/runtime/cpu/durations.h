// SPDX-License-Identifier: Apache-2.0
// What iterations of a loop took when it ran before, so that a loop that runs again and again need
// not be measured every time.  Loops are known by their code and the magnitude of their length.  It
// is no harm if two of them share a place, or if the next run is quite different: then too many or
// too few threads are asked once.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

#include "runtime/abi.h"

namespace skald::runtime {

class Durations {
 public:
  using Key = uint64_t;
  static Key key(SkaldLoopBody body, int64_t n) {
    return reinterpret_cast<uintptr_t>(body) << 6 |
           static_cast<Key>(std::bit_width(static_cast<uint64_t>(n)));
  }
  // In nanoseconds; 0: not known.
  double of(Key key) const {
    const Entry& entry = entries_[place(key)];
    return entry.key.load(std::memory_order_relaxed) == key
               ? entry.nanoseconds.load(std::memory_order_relaxed)
               : 0;
  }
  void add(Key key, int64_t iterations, int64_t nanoseconds) {
    Entry& entry = entries_[place(key)];
    const double now =
        std::max(0.01, static_cast<double>(nanoseconds) / static_cast<double>(iterations));
    const double before = of(key);
    // A thread that had to wait took longer than the work takes.
    const double next = before == 0 || now < before ? now : before + (now - before) / 4;
    entry.nanoseconds.store(next, std::memory_order_relaxed);
    entry.key.store(key, std::memory_order_relaxed);
  }

 private:
  struct Entry {
    std::atomic<Key> key{0};
    std::atomic<double> nanoseconds{0};
  };
  static constexpr int kPlaceBits = 10;
  static size_t place(Key key) {
    constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;
    return key * kSpread >> (64 - kPlaceBits);
  }
  std::array<Entry, size_t{1} << kPlaceBits> entries_;
};

}  // namespace skald::runtime
