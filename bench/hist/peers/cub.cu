// SPDX-License-Identifier: Apache-2.0
// CUB's histogram, and sorting with reduction of runs by CUB, as a library for run.py: median µs of a call for keys on the host, which are
// copied first; negative if that failed.
#include <cub/cub.cuh>

#include "timing.cuh"

namespace {

bool upload(Memory& to, const int* keys, int64_t n) {
  return to.get(4 * n) && cudaMemcpy(to.at, keys, 4 * n, cudaMemcpyHostToDevice) == cudaSuccess;
}

int bits_of(int64_t bins) {
  int bits = 1;
  while ((int64_t{1} << bits) < bins) ++bits;
  return bits;
}

}  // namespace

extern "C" double cub_histogram(const int* host, int64_t n, int64_t bins, int runs) {
  Memory keys, out, temporary;
  size_t bytes = 0;
  const auto call = [&] {
    return cub::DeviceHistogram::HistogramEven(temporary.at, bytes, keys.ints(), out.ints(), static_cast<int>(bins) + 1, 0,
                                               static_cast<int>(bins), static_cast<int>(n));
  };
  if (!upload(keys, host, n) || !out.get(4 * bins) || call() != cudaSuccess || !temporary.get(bytes)) return -1;
  return median_us(runs, call);
}

extern "C" double cub_sort(const int* host, int64_t n, int64_t bins, int runs) {
  Memory keys, sorted, unique, counts, found, temporary;
  if (!upload(keys, host, n) || !sorted.get(4 * n) || !unique.get(4 * n) || !counts.get(4 * n) || !found.get(4)) return -1;
  const int count = static_cast<int>(n), bits = bits_of(bins);
  size_t to_sort = 0, to_encode = 0;
  const auto sort = [&] {
    return cub::DeviceRadixSort::SortKeys(temporary.at, to_sort, keys.ints(), sorted.ints(), count, 0, bits);
  };
  const auto encode = [&] {
    return cub::DeviceRunLengthEncode::Encode(temporary.at, to_encode, sorted.ints(), unique.ints(), counts.ints(), found.ints(), count);
  };
  if (sort() != cudaSuccess || encode() != cudaSuccess || !temporary.get(std::max(to_sort, to_encode))) return -1;
  return median_us(runs, [&] {
    const cudaError_t sorting = sort();
    return sorting == cudaSuccess ? encode() : sorting;
  });
}
