// SPDX-License-Identifier: Apache-2.0
// Prefix sums in two passes over pieces that stay in the cache between them: every thread sums a
// block of its piece, waits for nobody, and the offsets are added in a second pass.
#pragma once

#include "peer.h"

template <class T>
T sum_block(const T* xs, int64_t n) {
  constexpr int kLanes = 16;
  T acc[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int k = 0; k < kLanes; ++k) acc[k] += xs[i + k];
  T total = 0;
  for (; i < n; ++i) total += xs[i];
  for (int k = 0; k < kLanes; ++k) total += acc[k];
  return total;
}

// In-register scan of four elements at a time: two shifted additions instead of four dependent
// ones.
template <class T>
void scan_block(const T* xs, T* out, int64_t n, T carry) {
  typedef T Quad __attribute__((vector_size(4 * sizeof(T))));
  const Quad zero = {};
  int64_t i = 0;
  Quad before = zero + carry;
  for (; i + 4 <= n; i += 4) {
    Quad v;
    std::memcpy(&v, xs + i, sizeof v);
#if defined(__clang__)
    v += __builtin_shufflevector(zero, v, 0, 4, 5, 6);
    v += __builtin_shufflevector(zero, v, 0, 1, 4, 5);
    v += before;
    before = __builtin_shufflevector(v, v, 3, 3, 3, 3);
#else
    typedef int32_t Index __attribute__((vector_size(16)));
    v += __builtin_shuffle(zero, v, Index{0, 4, 5, 6});
    v += __builtin_shuffle(zero, v, Index{0, 1, 4, 5});
    v += before;
    before = __builtin_shuffle(v, Index{3, 3, 3, 3});
#endif
    std::memcpy(out + i, &v, sizeof v);
  }
  T last = before[0];
  for (; i < n; ++i) out[i] = last += xs[i];
}

// Rounds of a few cache-sized blocks: sums, offsets, scans.  The second reading comes from the
// cache.
template <class T>
void parallel_scan(const T* xs, T* out, int64_t n, int threads) {
  constexpr int64_t kBlock = 1 << 15;
  const int64_t blocks_per_round = threads * 8;
  std::vector<T> sums(static_cast<size_t>(blocks_per_round));
  T carry = 0;
  for (int64_t start = 0; start < n; start += blocks_per_round * kBlock) {
    const int64_t end = std::min(n, start + blocks_per_round * kBlock);
    const int64_t blocks = (end - start + kBlock - 1) / kBlock;
    const auto size = [&](int64_t k) { return std::min(kBlock, end - start - k * kBlock); };
    tbb::parallel_for(int64_t{0}, blocks, [&](int64_t k) {
      sums[static_cast<size_t>(k)] = sum_block(xs + start + k * kBlock, size(k));
    });
    for (int64_t k = 0; k < blocks; ++k) {
      const T sum = sums[static_cast<size_t>(k)];
      sums[static_cast<size_t>(k)] = carry;
      carry += sum;
    }
    tbb::parallel_for(int64_t{0}, blocks, [&](int64_t k) {
      scan_block(xs + start + k * kBlock, out + start + k * kBlock, size(k),
                 sums[static_cast<size_t>(k)]);
    });
  }
}
