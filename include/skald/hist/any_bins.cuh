// SPDX-License-Identifier: Apache-2.0
// The rest: bins that are updated in the device's memory, and elements of more
// than eight bytes.
#pragma once

#include "group_bins.cuh"

namespace skald::hist_detail {

template <class W>
__global__ void fill_words(W* words, W value, int64_t count) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t k = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < count; k += step)
    words[k] = value;
}

// One point in the device's memory.
template <class T, class In, class F, class Op>
__device__ void update_in_memory(const In& x, int64_t i, const F& f, Op op, T identity, Word<T>* out,
                                 int64_t bins) {
  const auto given = f(x, i);
  int64_t bin;
  T value;
  if constexpr (Point<T, F, In>::kCounts) {
    bin = static_cast<int64_t>(given);
    value = T(1);
  } else {
    bin = given.bin;
    value = given.value;
  }
  if (static_cast<u64>(bin) >= static_cast<u64>(bins)) return;
  if constexpr (Chooses<Op>::value) {
    // What the cache has may be old; what changes nothing there changes
    // nothing in a later value.
    const Word<T> seen = __ldca(out + bin);
    if (to_word(op(from_word<T>(seen), value)) == seen) return;
  }
  update_word(out + bin, value, op, identity);
}

// Each point in the device's memory.
template <class T, class In, class F, class Op>
__global__ void __launch_bounds__(kThreads)
    count_in_memory(const In* input, int64_t n, F f, Op op, T identity, Word<T>* out,
                    int64_t bins) {
  constexpr int kPoints = kept_points<Op, T>();
  constexpr int64_t kTile = int64_t{kThreads} * kPoints;
  for (int64_t begin = blockIdx.x * kTile; begin < n; begin += gridDim.x * kTile) {
    In x[kPoints];
    int64_t i[kPoints];
    load_points(input, n, begin, static_cast<int>(threadIdx.x), kThreads, x, i);
#pragma unroll
    for (int k = 0; k < kPoints; ++k) {
      if (i[k] >= 0) update_in_memory<T>(x[k], i[k], f, op, identity, out, bins);
      come_together<T, Op>();
    }
  }
}

// A value of another lane.
template <class T>
__device__ T from_lane(u32 lanes, const T& value, int lane) {
  constexpr int kParts = (sizeof(T) + 3) / 4;
  u32 parts[kParts] = {};
  memcpy(parts, &value, sizeof(T));
#pragma unroll
  for (int k = 0; k < kParts; ++k) parts[k] = __shfl_sync(lanes, parts[k], lane);
  T other;
  memcpy(&other, parts, sizeof(T));
  return other;
}

// Threads of a warp with the same bin combine their values, pair by pair; true
// for the one of each bin that has the result.
template <class T, class Op>
__device__ bool meet(u32 bin, T& value, Op op) {
  const u32 lanes = __activemask(), lane = threadIdx.x & 31;
  u32 peers = __match_any_sync(lanes, bin);
  u32 rank = __popc(peers & ((1u << lane) - 1));
  const bool goes_on = rank == 0;
  peers &= 0xfffffffeu << lane;
  while (__any_sync(lanes, peers != 0)) {
    const int from = peers == 0 ? static_cast<int>(lane) : __ffs(static_cast<int>(peers)) - 1;
    const T other = from_lane(lanes, value, from);
    if (peers != 0) value = op(value, other);
    peers &= __ballot_sync(lanes, (rank & 1) == 0);
    rank >>= 1;
  }
  return goes_on;
}

// The same for a warp whose lanes all have one bin; otherwise everybody goes
// on.
template <class T, class Op>
__device__ bool meet_if_all(u32 bin, T& value, Op op) {
  int same;
  __match_all_sync(~0u, bin, &same);
  if (!same) return true;
  for (int apart = 16; apart > 0; apart /= 2)
    value = op(value, from_lane(~0u, value, (threadIdx.x & 31) ^ apart));
  return (threadIdx.x & 31) == 0;
}

constexpr int kChainPoints = 4;

// Elements of any size, in shared memory, without locks: the threads that have
// something for a bin form a chain, whose end the bin knows.  After a barrier
// the last one walks along it, and changes the bin.  `sums` gets the bins of
// all blocks, one after the other.
template <class T, class In, class F, class Op>
__global__ void __launch_bounds__(kThreads)
    count_in_chains(const In* input, int64_t n, F f, Op op, T identity, T* sums, int first_bin,
                    int bins, int copies, int64_t all_bins) {
  T* mine = shared_memory<T>();
  T* values = mine + bins * copies;
  u32* ends = reinterpret_cast<u32*>(values + kThreads);
  u32* before = ends + bins * copies;
  for (int k = threadIdx.x; k < bins * copies; k += kThreads) {
    mine[k] = identity;
    ends[k] = 0;
  }
  __syncthreads();
  constexpr int64_t kTile = int64_t{kThreads} * kChainPoints;
  const u32 me = threadIdx.x, copy = threadIdx.x & (copies - 1);
  for (int64_t begin = blockIdx.x * kTile; begin < n; begin += gridDim.x * kTile) {
    u32 bin[kChainPoints];
    T value[kChainPoints];
    points_of(input, n, f, all_bins, begin, kThreads, bin, value);
    merge_neighbours(bin, value, op);
#pragma unroll
    for (int k = 0; k < kChainPoints; ++k) {
      u32 slot = bin[k] - first_bin;
      bool has = bin[k] != kNoBin && slot < static_cast<u32>(bins);
      if (!__syncthreads_or(has)) continue;
      slot = has ? slot * copies + copy : kNoBin;
      has = meet_if_all(has ? bin[k] : kNoBin, value[k], op) && has;
      if (has) {
        values[me] = value[k];
        before[me] = atomicExch(ends + slot, me + 1);
      }
      __syncthreads();
      if (!has || ends[slot] != me + 1) continue;
      T sum = op(mine[slot], value[k]);
      for (u32 next = before[me]; next != 0; next = before[next - 1])
        sum = op(sum, values[next - 1]);
      mine[slot] = sum;
      ends[slot] = 0;
    }
    __syncthreads();
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += kThreads) {
    T sum = mine[b * copies];
    for (int k = 1; k < copies; ++k) sum = op(sum, mine[b * copies + k]);
    sums[static_cast<int64_t>(blockIdx.x) * bins + b] = sum;
  }
}

// Elements of any size in the device's memory: whoever has the lock of a bin
// changes it.  Nobody waits inside the loop for another thread of its warp;
// those with the same bin have met before.
template <class T, class In, class F, class Op>
__global__ void __launch_bounds__(kThreads)
    count_with_locks(const In* input, int64_t n, F f, Op op, T* out, int64_t bins, u32* locks,
                     u32 last_lock) {
  const int64_t step = int64_t{gridDim.x} * kThreads;
  for (int64_t begin = int64_t{blockIdx.x} * kThreads; begin < n; begin += step) {
    const int64_t i = begin + threadIdx.x;
    u32 bin = kNoBin;
    T value;
    if (i < n) Point<T, F, In>::at(f, input[i], i, bins, bin, value);
    bool done = bin == kNoBin || !meet(bin, value, op);
    while (!done) {
      u32* lock = locks + (bin & last_lock);
      if (atomicExch(lock, 1u) != 0) continue;
      __threadfence();
      const volatile unsigned char* now = reinterpret_cast<volatile unsigned char*>(out + bin);
      T old;
      if constexpr (sizeof(T) % 4 == 0) {
        u32 parts[sizeof(T) / 4];
        for (int k = 0; k < static_cast<int>(sizeof(T) / 4); ++k)
          parts[k] = reinterpret_cast<const volatile u32*>(now)[k];
        memcpy(&old, parts, sizeof(T));
      } else {
        for (int k = 0; k < static_cast<int>(sizeof(T)); ++k)
          reinterpret_cast<unsigned char*>(&old)[k] = now[k];
      }
      out[bin] = op(old, value);
      __threadfence();
      atomicExch(lock, 0u);
      done = true;
    }
    come_together<T, Op>();
  }
}

// What `rows` blocks have left joins the result: 32 bins for a block, eight
// threads for each.
template <class T, class Op>
__global__ void join_values(const T* sums, int rows, int bins, Op op, T identity, T* out) {
  extern __shared__ __align__(16) unsigned char skald_hist_shared[];
  T* shares = reinterpret_cast<T*>(skald_hist_shared);
  const int b = static_cast<int>(blockIdx.x * 32 + threadIdx.x % 32);
  T sum = identity;
  if (b < bins)
    for (int row = threadIdx.x / 32; row < rows; row += 8)
      sum = op(sum, sums[static_cast<int64_t>(row) * bins + b]);
  shares[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x >= 32 || b >= bins) return;
  sum = out[b];
  for (int k = 0; k < 8; ++k) sum = op(sum, shares[k * 32 + threadIdx.x]);
  out[b] = sum;
}

}  // namespace skald::hist_detail
