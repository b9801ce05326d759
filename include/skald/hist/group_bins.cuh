// SPDX-License-Identifier: Apache-2.0
// Few bins: every block has bins of its own in shared memory, several copies of
// them if there is room.  Copies of a bin lie side by side, so that lanes of a
// warp, which have different ones, meet in no bank.
#pragma once

#include "frequent_bins.cuh"

namespace skald::hist_detail {

template <class W>
__device__ W* shared_memory() {
  extern __shared__ __align__(16) unsigned char skald_hist_shared[];
  return reinterpret_cast<W*>(skald_hist_shared);
}

// `sums` gets the bins of all blocks, one after the other, unless instructions
// add them to `out`.
template <class T, class In, class F, class Op>
__global__ void __launch_bounds__(kThreads, 2)
    count_in_blocks(const In* input, int64_t n, F f, Op op, T identity, Word<T>* out, Word<T>* sums,
                    int bins, int copies) {
  Word<T>* words = shared_memory<Word<T>>();
  for (int k = threadIdx.x; k < bins * copies; k += kThreads) words[k] = to_word(identity);
  __syncthreads();
  Word<T>* mine = words + (threadIdx.x & (copies - 1));
  constexpr int kPoints = kept_points<Op, T>();
  constexpr int64_t kTile = int64_t{kThreads} * kPoints;
  for (int64_t begin = blockIdx.x * kTile; begin < n; begin += gridDim.x * kTile) {
    u32 bin[kPoints];
    T value[kPoints];
    points_of(input, n, f, bins, begin, kThreads, bin, value);
    // Additions of one that meet are one for the device.
    constexpr bool kOnes = Point<T, F, In>::kCounts && std::is_same_v<Op, Plus>;
    if constexpr (!kOnes) merge_neighbours(bin, value, op);
#pragma unroll
    for (int k = 0; k < kPoints; ++k) {
      if (bin[k] != kNoBin) update_word(mine + bin[k] * copies, value[k], op, identity);
      come_together<T, Op>();
    }
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += kThreads) {
    T sum = identity;
    for (int k = 0; k < copies; ++k)
      sum = op(sum, from_word<T>(words[b * copies + ((k + b) & (copies - 1))]));
    if constexpr (bin_update<Op, T>() == BinUpdate::kInstruction) {
      if (to_word(sum) != to_word(identity)) update_by_instruction(out + b, sum, op);
    } else {
      sums[static_cast<int64_t>(blockIdx.x) * bins + b] = to_word(sum);
    }
  }
}

// What `rows` blocks have left joins the result: 32 bins for a block, eight
// threads for each.
template <class T, class Op>
__global__ void join_rows(const Word<T>* sums, int64_t rows, int64_t bins, Op op, T identity,
                          T* out) {
  __shared__ Word<T> shares[256];
  const int64_t b = blockIdx.x * int64_t{32} + threadIdx.x % 32;
  T sum = identity;
  if (b < bins)
    for (int64_t row = threadIdx.x / 32; row < rows; row += 8)
      sum = op(sum, from_word<T>(sums[row * bins + b]));
  shares[threadIdx.x] = to_word(sum);
  __syncthreads();
  if (threadIdx.x >= 32 || b >= bins) return;
  sum = out[b];
  for (int k = 0; k < 8; ++k) sum = op(sum, from_word<T>(shares[k * 32 + threadIdx.x]));
  out[b] = sum;
}

}  // namespace skald::hist_detail
