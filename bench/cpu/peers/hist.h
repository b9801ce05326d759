// SPDX-License-Identifier: Apache-2.0
// Histograms: private ones for each thread while they fit, else keys are first sorted into ranges
// of bins that do.
#pragma once

#include "peer.h"

// Private histograms of this size are still cheaper to merge than keys are to read twice.
constexpr int64_t kPrivateBytes = 32 << 20;

// add(bin, i) puts element i into a bin; merge(a, b) adds bin b to a.
template <class Bin, class Add, class Merge>
void histogram(const Array<int32_t>& keys, Array<Bin>& out, Bin neutral, int threads,
               const Add& add, const Merge& merge) {
  const int64_t n = keys.size(), h = out.size();
  if (h * static_cast<int64_t>(sizeof(Bin)) <= kPrivateBytes) {
    const int64_t pieces = threads;
    std::vector<std::vector<Bin>> own(static_cast<size_t>(pieces));
    tbb::parallel_for(int64_t{0}, pieces, [&](int64_t p) {
      std::vector<Bin>& bins = own[static_cast<size_t>(p)];
      bins.assign(static_cast<size_t>(h), neutral);
      for (int64_t i = n * p / pieces; i < n * (p + 1) / pieces; ++i)
        add(bins[static_cast<size_t>(keys[i])], i);
    });
    parallel(h, 4096, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        Bin total = own[0][static_cast<size_t>(b)];
        for (int64_t p = 1; p < pieces; ++p)
          merge(total, own[static_cast<size_t>(p)][static_cast<size_t>(b)]);
        out[b] = total;
      }
    });
    return;
  }
  // Every thread owns a range of bins and reads all keys: with two cores that costs less than a
  // partition pass.
  const int64_t pieces = threads;
  tbb::parallel_for(int64_t{0}, pieces, [&](int64_t p) {
    const int64_t low = h * p / pieces, high = h * (p + 1) / pieces;
    for (int64_t b = low; b < high; ++b) out[b] = neutral;
    for (int64_t i = 0; i < n; ++i)
      if (keys[i] >= low && keys[i] < high) add(out[keys[i]], i);
  });
}
