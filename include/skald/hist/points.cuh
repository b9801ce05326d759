// SPDX-License-Identifier: Apache-2.0
// Points: what the function of a histogram gives for the elements of its input,
// several for each thread.
#pragma once

#include "operators.cuh"

namespace skald {

// What an element does: `value` is combined with what is in `bin`.  Bins
// outside the histogram are ignored.
template <class T>
struct Update {
  int64_t bin;
  T value;
};

namespace hist_detail {

constexpr int kThreads = 1024;
// Points of a thread, in registers: as many as leave room for two blocks on a
// multiprocessor.
template <class Op, class T>
__host__ __device__ constexpr int kept_points() {
  return bin_update<Op, T>() == BinUpdate::kInstruction && sizeof(T) <= 4 ? 8 : 4;
}
constexpr u32 kNoBin = ~0u;

template <class T, class F, class In>
struct Point {
  using Given = std::invoke_result_t<F, In, int64_t>;
  // A function that gives a number says the bin; the value is one.
  static constexpr bool kCounts = std::is_integral_v<Given>;
  __device__ static void at(const F& f, const In& x, int64_t i, int64_t bins, u32& bin, T& value) {
    const Given given = f(x, i);
    int64_t number;
    if constexpr (kCounts) {
      number = static_cast<int64_t>(given);
      value = T(1);
    } else {
      number = given.bin;
      value = given.value;
    }
    bin = static_cast<u64>(number) < static_cast<u64>(bins) ? static_cast<u32>(number) : kNoBin;
  }
};

// Elements that a thread has: neighbours, loaded by sixteen bytes where they
// are aligned.
template <class In>
__host__ __device__ constexpr int at_once() {
  constexpr bool wide = std::is_trivially_copyable_v<In> && 16 % sizeof(In) == 0;
  return wide && 16 / sizeof(In) <= 4 ? static_cast<int>(16 / sizeof(In)) : 1;
}

// The elements of thread `thread` in the tile from `begin` on, and where they
// lie; in a tile that is not whole, `i` is -1 for those that are missing.
template <class In, int kCount>
__device__ void load_points(const In* input, int64_t n, int64_t begin, int thread, int threads,
                            In (&x)[kCount], int64_t (&i)[kCount]) {
  constexpr int kAtOnce = at_once<In>();
  const bool whole = begin + static_cast<int64_t>(threads) * kCount <= n;
  const bool aligned = reinterpret_cast<u64>(input + begin) % 16 == 0;
#pragma unroll
  for (int set = 0; set < kCount / kAtOnce; ++set) {
    const int64_t first = begin + (static_cast<int64_t>(set) * threads + thread) * kAtOnce;
    if (whole && aligned && kAtOnce > 1) {
      const uint4 wide = *reinterpret_cast<const uint4*>(input + first);
      memcpy(&x[set * kAtOnce], &wide,
             sizeof(wide) < sizeof(In) ? sizeof(wide) : kAtOnce * sizeof(In));
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) i[set * kAtOnce + k] = first + k;
    } else {
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        i[set * kAtOnce + k] = first + k < n ? first + k : -1;
        if (first + k < n) x[set * kAtOnce + k] = input[first + k];
      }
    }
  }
}

// Bins and values of a thread's points.
template <class T, class In, class F, int kCount>
__device__ void points_of(const In* input, int64_t n, const F& f, int64_t bins, int64_t begin,
                          int threads, u32 (&bin)[kCount], T (&value)[kCount]) {
  In x[kCount];
  int64_t i[kCount];
  load_points(input, n, begin, static_cast<int>(threadIdx.x), threads, x, i);
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    bin[k] = kNoBin;
    if (i[k] >= 0) Point<T, F, In>::at(f, x[k], i[k], bins, bin[k], value[k]);
  }
}

// Neighbours that have the same bin become one.
template <class T, class Op, int kCount>
__device__ void merge_neighbours(u32 (&bin)[kCount], T (&value)[kCount], Op op) {
#pragma unroll
  for (int k = 1; k < kCount; ++k) {
    if (bin[k] == kNoBin || bin[k] != bin[k - 1]) continue;
    value[k] = op(value[k - 1], value[k]);
    bin[k - 1] = kNoBin;
  }
}

}  // namespace hist_detail
}  // namespace skald
