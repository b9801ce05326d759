// SPDX-License-Identifier: Apache-2.0
// include/skald/hist.cuh against CUB: microseconds for 50 M keys, by operator, number of bins and
// distribution of keys.
//   nvcc -std=c++17 -O3 -arch=native -I include bench/hist/header.cu -o header && ./header
#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <vector>

#include "skald/hist.cuh"

namespace {

constexpr int kKeys = 50'000'000;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("error: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

__host__ __device__ uint32_t mix(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

enum Kind { kEven, kSparse63, kSparse1000, kZipf, kSorted, kOneBin, kKinds };
const char* const kNames[] = {"uniform", "rf 63", "rf 1000", "zipf", "sorted", "one bin"};

__global__ void make_keys(int* keys, int n, int bins, int kind) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t x = mix(i);
  const int apart = kind == kSparse63 ? 63 : kind == kSparse1000 ? 1000 : 1;
  int key = static_cast<int>(x % max(1, bins / apart)) * apart;
  if (kind == kZipf) {
    const double u = x / 4294967296.0;
    const long long k = static_cast<long long>(exp(u * log(bins + 1.0))) - 1;
    key = static_cast<int>((min(max(k, 0LL), bins - 1LL) * 7919 + 13) % bins);
  }
  if (kind == kSorted) key = static_cast<int>(static_cast<long long>(i) * bins / n);
  if (kind == kOneBin) key = bins / 3;
  keys[i] = key;
}

template <class Run>
double median(Run run) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  run();
  std::vector<float> times;
  float all = 0;
  while (times.size() < 3 || (times.size() < 11 && all < 100)) {
    check(cudaEventRecord(begin));
    run();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(ms);
    all += ms;
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2] * 1000;
}

struct Pair {
  int index, value;
};
struct Four {
  int largest, count, index, key;
};
struct Bin {
  __device__ int operator()(int k, int64_t) const { return k; }
};
struct Small {
  __device__ skald::Update<int> operator()(int k, int64_t) const { return {k, 1 + (k & 3)}; }
};
struct Located {
  __device__ skald::Update<Pair> operator()(int k, int64_t i) const {
    return {k, {static_cast<int>(i), static_cast<int>(mix(k + static_cast<uint32_t>(i)) >> 8)}};
  }
};
struct Whole {
  __device__ skald::Update<Four> operator()(int k, int64_t i) const {
    return {k,
            {static_cast<int>(mix(k + static_cast<uint32_t>(i)) >> 8), 1, static_cast<int>(i), k}};
  }
};
struct Saturating {
  __device__ int operator()(int a, int b) const { return min(a + b, 0xffffff); }
};
struct Times {
  __device__ int operator()(int a, int b) const { return a * b; }
};
struct Larger {
  __device__ Pair operator()(Pair a, Pair b) const {
    if (a.value != b.value) return a.value > b.value ? a : b;
    return a.index < b.index ? a : b;
  }
};
struct Most {
  __device__ Four operator()(Four a, Four b) const {
    Four r = a.largest > b.largest ? a : b;
    r.count = a.count + b.count;
    return r;
  }
};

void* temp = nullptr;
size_t temp_bytes = 0;

template <class T, class F, class Op>
double time_hist(const int* keys, int bins, F f, Op op, T identity, T* out) {
  size_t bytes = 0;
  const auto call = [&](void* memory) {
    check(
        skald::hist(memory, bytes, {}, keys, int64_t{kKeys}, f, op, identity, out, int64_t{bins}));
  };
  call(nullptr);
  if (bytes > temp_bytes) {
    check(cudaFree(temp));
    check(cudaMalloc(&temp, bytes));
    temp_bytes = bytes;
  }
  return median([&] { call(temp); });
}

double time_cub(const int* keys, int bins, int* out) {
  size_t bytes = temp_bytes;
  const auto call = [&](void* memory) {
    check(cub::DeviceHistogram::HistogramEven(memory, bytes, keys, out, bins + 1, 0, bins, kKeys));
  };
  call(nullptr);
  if (bytes > temp_bytes) {
    check(cudaFree(temp));
    check(cudaMalloc(&temp, bytes));
    temp_bytes = bytes;
  }
  return median([&] { call(temp); });
}

}  // namespace

int main(int argc, char** argv) {
  int* keys[kKinds];
  for (int*& each : keys) check(cudaMalloc(&each, kKeys * sizeof(int)));
  void* out = nullptr;
  check(cudaMalloc(&out, size_t{1} << 30));
  std::printf("%-12s%9s", "operator", "bins");
  for (const char* name : kNames) std::printf("%9s", name);
  std::printf("   (50 M keys, us)\n");
  const bool few = argc > 1;
  const std::vector<int> sizes =
      few ? std::vector<int>{31, 2048, 12288, 49152, 786432}
          : std::vector<int>{31,    127,    505,    2048,   6144,    12288,  24576,
                             49152, 196608, 393216, 786432, 1572864, 8000000};
  for (const int bins : sizes) {
    for (int kind = 0; kind < kKinds; ++kind)
      make_keys<<<(kKeys + 255) / 256, 256>>>(keys[kind], kKeys, bins, kind);
    const auto row = [&](const char* name, auto time) {
      std::printf("%-12s%9d", name, bins);
      for (int kind = 0; kind < kKinds; ++kind) std::printf("%9.0f", time(keys[kind]));
      std::printf("\n");
      std::fflush(stdout);
    };
    check(cudaMemset(out, 0, size_t{1} << 30));
    row("counts", [&](int* k) {
      return time_hist(k, bins, Bin{}, skald::Plus{}, 0, static_cast<int*>(out));
    });
    row("CUB counts", [&](int* k) { return time_cub(k, bins, static_cast<int*>(out)); });
    row("saturating", [&](int* k) {
      return time_hist(k, bins, Small{}, Saturating{}, 0, static_cast<int*>(out));
    });
    row("products",
        [&](int* k) { return time_hist(k, bins, Small{}, Times{}, 1, static_cast<int*>(out)); });
    row("argmax", [&](int* k) {
      return time_hist(k, bins, Located{}, Larger{}, Pair{1 << 30, -1}, static_cast<Pair*>(out));
    });
    // Locks take seconds where keys meet.
    row("16 bytes", [&](int* k) {
      if (bins > 100000 && k != keys[kEven]) return 0.0;
      return time_hist(k, bins, Whole{}, Most{}, Four{-1, 0, 0, 0}, static_cast<Four*>(out));
    });
  }
  return 0;
}
