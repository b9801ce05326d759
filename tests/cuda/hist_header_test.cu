// SPDX-License-Identifier: Apache-2.0
// Compares include/skald/hist.cuh with loops on the host.
//   nvcc -std=c++17 --extended-lambda -I include tests/cuda/hist_header_test.cu -o hist_header_test
#include <cstdio>
#include <vector>

#include "skald/hist.cuh"

namespace {

using skald::HistPolicy;
using skald::HistWay;

int failures = 0, cases = 0;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  ++failures;
  cudaGetLastError();
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& values) : size_(values.size()) {
    check(cudaMalloc(&data_, (size_ + 1) * sizeof(T)), "cudaMalloc");
    check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "copy");
  }
  DeviceArray(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }
  T* data() { return data_; }
  std::vector<T> values() const {
    std::vector<T> result(size_);
    check(cudaMemcpy(result.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "copy");
    return result;
  }

 private:
  T* data_ = nullptr;
  size_t size_;
};

__host__ __device__ uint32_t mix(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

struct Pair {
  int index, value;
  __host__ __device__ bool operator==(const Pair& o) const {
    return index == o.index && value == o.value;
  }
};
struct Four {
  int largest, count, index, key;
  __host__ __device__ bool operator==(const Four& o) const {
    return largest == o.largest && count == o.count && index == o.index && key == o.key;
  }
};

struct Larger {
  __host__ __device__ Pair operator()(Pair a, Pair b) const {
    if (a.value != b.value) return a.value > b.value ? a : b;
    return a.index < b.index ? a : b;
  }
};
struct Chosen : Larger {
  [[maybe_unused]] static constexpr bool kChooses = true;
};
struct Most {
  __host__ __device__ Four operator()(Four a, Four b) const {
    const bool first = a.largest != b.largest ? a.largest > b.largest : a.index < b.index;
    Four r = first ? a : b;
    r.count = a.count + b.count;
    return r;
  }
};
struct Saturating {
  __host__ __device__ int operator()(int a, int b) const { return a + b < 0xfff ? a + b : 0xfff; }
};
struct Times {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return static_cast<T>(a * b);
  }
};

// What elements do.
struct Bin {
  __host__ __device__ int64_t operator()(int k, int64_t) const { return k; }
};
template <class T>
struct Weighted {
  __host__ __device__ skald::Update<T> operator()(int k, int64_t i) const {
    return {k, static_cast<T>(mix(static_cast<uint32_t>(i)) % 7 + 1)};
  }
};
struct Odd {
  __host__ __device__ skald::Update<uint8_t> operator()(int k, int64_t i) const {
    return {k, static_cast<uint8_t>(i % 3 * 2 + 1)};
  }
};
struct Located {
  __host__ __device__ skald::Update<Pair> operator()(int k, int64_t i) const {
    return {k, {static_cast<int>(i), static_cast<int>(mix(static_cast<uint32_t>(i + k)) >> 20)}};
  }
};
struct Whole {
  __host__ __device__ skald::Update<Four> operator()(int k, int64_t i) const {
    return {k, {static_cast<int>(mix(static_cast<uint32_t>(i)) >> 20), 1, static_cast<int>(i), k}};
  }
};

template <class T, class F, class Op>
std::vector<T> on_host(const std::vector<int>& keys, std::vector<T> out, F f, Op op) {
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto given = f(keys[i], static_cast<int64_t>(i));
    int64_t bin;
    T value;
    if constexpr (std::is_integral_v<decltype(f(0, int64_t{0}))>) {
      bin = given;
      value = T(1);
    } else {
      bin = given.bin;
      value = given.value;
    }
    if (bin >= 0 && bin < static_cast<int64_t>(out.size()))
      out[static_cast<size_t>(bin)] = op(out[static_cast<size_t>(bin)], value);
  }
  return out;
}

template <class T, class F, class Op>
void compare(const char* name, HistPolicy policy, const std::vector<int>& keys, int64_t bins, F f,
             Op op, T identity, T start) {
  const std::vector<T> before(static_cast<size_t>(bins), start);
  DeviceArray<int> input(keys);
  DeviceArray<T> out(before);
  ++cases;
  // One element later, so that nothing is aligned, for every other case.
  const int64_t skip = cases % 2 == 0 && !keys.empty() ? 1 : 0;
  const std::vector<int> used(keys.begin() + skip, keys.end());
  check(skald::hist(policy, input.data() + skip, static_cast<int64_t>(used.size()), f, op, identity,
                    out.data(), bins),
        name);
  check(cudaDeviceSynchronize(), name);
  const std::vector<T> expected = on_host(used, before, f, op), found = out.values();
  for (size_t b = 0; b < found.size(); ++b) {
    if (found[b] == expected[b]) continue;
    std::printf("%s: n %zu, %lld bins, way %d: bin %zu differs\n", name, used.size(),
                static_cast<long long>(bins), static_cast<int>(policy.way), b);
    ++failures;
    return;
  }
}

std::vector<int> keys_of(int64_t n, int64_t bins, int kind) {
  std::vector<int> keys(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    const int64_t x = mix(static_cast<uint32_t>(i));
    int64_t k = bins == 0 ? 0 : x % bins;                  // even
    if (kind == 1) k = bins / 3;                           // one bin
    if (kind == 2) k = n == 0 ? 0 : i * bins / n;          // sorted
    if (kind == 4) k = x % 8 < 7 ? x % 8 * 3 : x % bins;   // some bins come often
    if (kind == 3) k = x % (2 * bins + 3) - bins / 2 - 1;  // many outside, some negative
    keys[static_cast<size_t>(i)] = static_cast<int>(k);
  }
  return keys;
}

void all_operators(HistPolicy policy, int64_t n, int64_t bins, int kind) {
  const std::vector<int> keys = keys_of(n, bins, kind);
  compare<int>("counts", policy, keys, bins, Bin{}, skald::Plus{}, 0, 5);
  compare<long long>("sums", policy, keys, bins, Weighted<long long>{}, skald::Plus{}, 0, 1);
  compare<int>("least", policy, keys, bins, Weighted<int>{}, skald::Minimum{}, 1 << 30, 1 << 30);
  compare<int>("saturating", policy, keys, bins, Weighted<int>{}, Saturating{}, 0, 2);
  compare<uint8_t>("products", policy, keys, bins, Odd{}, Times{}, uint8_t{1}, uint8_t{3});
  compare<Pair>("argmax", policy, keys, bins, Located{}, Larger{}, {1 << 30, -1}, {1 << 30, -1});
  compare<Pair>("chosen", policy, keys, bins, Located{}, Chosen{}, {1 << 30, -1}, {1 << 30, -1});
  compare<int>("odd products", policy, keys, bins, Weighted<int>{}, Times{}, 1, 3);
}

// A query must give the same as a call, too little memory must be refused.
void queries() {
  const std::vector<int> keys = keys_of(5000, 100, 0);
  DeviceArray<int> input(keys);
  DeviceArray<int> out(std::vector<int>(100, 0));
  size_t bytes = 0;
  check(skald::hist(nullptr, bytes, {}, input.data(), int64_t{5000}, Weighted<int>{}, Times{}, 1,
                    out.data(), int64_t{100}),
        "query");
  void* temp = nullptr;
  check(cudaMalloc(&temp, bytes), "cudaMalloc");
  size_t less = bytes - 1;
  if (skald::hist(temp, less, {}, input.data(), int64_t{5000}, Weighted<int>{}, Times{}, 1,
                  out.data(), int64_t{100}) != cudaErrorInvalidValue) {
    std::printf("too little memory was not refused\n");
    ++failures;
  }
  if (skald::hist({HistWay::kChains}, input.data(), int64_t{5000}, Bin{}, skald::Plus{}, 0,
                  out.data(), int64_t{100}) != cudaErrorInvalidValue) {
    std::printf("a way that does not fit was not refused\n");
    ++failures;
  }
  cudaFree(temp);
}

}  // namespace

int main() {
  queries();
  for (const int64_t n : {int64_t{0}, int64_t{1}, int64_t{1000}, int64_t{300001}})
    for (const int64_t bins : {int64_t{0}, int64_t{1}, int64_t{31}, int64_t{3000}, int64_t{60000}})
      for (int kind = 0; kind < (bins == 0 ? 4 : 5); ++kind) {
        all_operators({}, n, bins, kind);
        compare<Four>("four", {}, keys_of(n, bins, kind), bins, Whole{}, Most{},
                      {-1, 0, 1 << 30, 0}, {-1, 0, 1 << 30, 0});
      }
  for (int kind = 0; kind < 5; ++kind) {
    for (const HistWay way : {HistWay::kSortedBins, HistWay::kInMemory})
      all_operators({way}, 300001, 200000, kind);
    all_operators({HistWay::kGroupBins, 2}, 300001, 3000, kind);
    compare<Four>("four", {HistWay::kLocks}, keys_of(100001, 3000, kind), 3000, Whole{}, Most{},
                  {-1, 0, 1 << 30, 0}, {-1, 0, 1 << 30, 0});
  }
  std::printf("%d cases, %d failed\n", cases, failures);
  return failures == 0 ? 0 : 1;
}
