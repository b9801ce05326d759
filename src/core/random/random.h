// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine, unlike the distributions of <random>.
#pragma once

#include <cstdint>
#include <vector>

namespace skald::core {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) { next(); }

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ull;
    uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }
  // 0 … n-1; 0 if n <= 0.
  int below(int n) { return n <= 0 ? 0 : static_cast<int>(next() % static_cast<uint64_t>(n)); }
  // from … to
  int between(int from, int to) { return from + below(to - from + 1); }
  bool chance(int percent) { return below(100) < percent; }
  // `items` must not be empty.
  template <class T>
  const T& pick(const std::vector<T>& items) {
    return items[static_cast<size_t>(below(static_cast<int>(items.size())))];
  }

 private:
  uint64_t state_;
};

}  // namespace skald::core
