// SPDX-License-Identifier: Apache-2.0
// What the peers on a GPU share: memory of the device, and the time of a call.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

struct Memory {
  void* at = nullptr;
  Memory() = default;
  Memory(Memory&& other) noexcept : at(other.at) { other.at = nullptr; }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  bool get(size_t bytes) { return cudaMalloc(&at, std::max<size_t>(bytes, 1)) == cudaSuccess; }
  ~Memory() { cudaFree(at); }
  int* ints() const { return static_cast<int*>(at); }
};

// Microseconds of a call, the median of some; negative if one failed.
template <class Call>
double median_us(int runs, const Call& call) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> times;
  for (int k = 0; k <= runs; ++k) {
    cudaEventRecord(begin);
    const bool fine = call() == cudaSuccess;
    cudaEventRecord(end);
    if (!fine || cudaEventSynchronize(end) != cudaSuccess) return -1;
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    if (k > 0) times.push_back(1000 * ms);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}
