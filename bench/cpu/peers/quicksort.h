// SPDX-License-Identifier: Apache-2.0
// Quicksort with nested tasks, down to parts that one thread sorts.
#pragma once

#include "peer.h"

template <class T>
void quicksort(T* xs, int64_t n) {
  while (n > 4096) {
    const T a = xs[0], b = xs[n / 2], c = xs[n - 1];
    const T pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
    int64_t i = 0, j = n - 1;
    while (i <= j) {
      while (xs[i] < pivot) ++i;
      while (xs[j] > pivot) --j;
      if (i <= j) std::swap(xs[i++], xs[j--]);
    }
    const int64_t left = j + 1;
    tbb::parallel_invoke([&] { quicksort(xs, left); }, [&] { quicksort(xs + i, n - i); });
    return;
  }
  std::sort(xs, xs + n);
}

template <class T>
int quicksort_peer(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<T> xs = peer.array<T>();
  Array<T> out(xs.shape());
  peer.time([&] {
    std::memcpy(out.data(), xs.data(), static_cast<size_t>(xs.size()) * sizeof(T));
    quicksort(out.data(), out.size());
  });
  peer.write(out);
  return 0;
}
