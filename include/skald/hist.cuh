// SPDX-License-Identifier: Apache-2.0
// Generalised histograms for CUDA C++ (C++17, no other dependency).
//
//   skald::hist(policy, input, n, f, op, identity, out, bins, stream)
//
// For each of the n elements x at place i of `input`, f(x, i) says what happens: a number k is the
// bin whose count grows by one, and skald::Update<T>{k, v} makes out[k] = op(out[k], v).  Bins
// outside 0 … bins-1 are ignored.  `op` is associative and commutative with `identity` as its
// neutral element; if it is not, values are unspecified.  What `out` holds before takes part.
//
// An operator with a member `static constexpr bool kChooses = true` says that its
// result is one of its arguments, mostly the first, as with the larger of two:
// HistWay::kInMemory then looks at bins before it changes them.
//
// `f` and `op` are device lambdas (nvcc --extended-lambda) or function objects.  skald::Plus,
// Minimum, Maximum, BitAnd, BitOr and BitXor are instructions on integers of 32 and 64 bits.
//
// As in CUB, a call with `temp` null only says in `temp_bytes` how much memory the call needs; the
// form without these two takes it from the stream's pool.  The way is chosen by `plan_hist`, or is
// what the policy says.  docs/hist-header.md has an example.
#pragma once

#include "hist/any_bins.cuh"
#include "hist/plan.cuh"
#include "hist/sorted_bins.cuh"

namespace skald {

namespace hist_detail {

inline int64_t aligned(int64_t bytes) {
  return (bytes + 255) / 256 * 256;
}

// Pieces of the memory that the caller gives; without any, only their sizes count.
class Room {
 public:
  explicit Room(void* memory) : memory_(static_cast<char*>(memory)) {}
  template <class T>
  T* take(int64_t count) {
    char* piece = memory_ == nullptr ? nullptr : memory_ + bytes_;
    bytes_ += aligned(count * static_cast<int64_t>(sizeof(T)));
    return reinterpret_cast<T*>(piece);
  }
  size_t bytes() const { return static_cast<size_t>(bytes_); }

 private:
  char* memory_;
  int64_t bytes_ = 0;
};

template <class Kernel>
cudaError_t allow_shared(Kernel kernel, int64_t bytes) {
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(bytes));
}

template <class T, class Op>
void join(const Word<T>* sums, int64_t rows, int64_t bins, Op op, T identity, T* out,
          cudaStream_t stream) {
  join_rows<T><<<static_cast<unsigned>((bins + 31) / 32), 256, 0, stream>>>(sums, rows, bins, op,
                                                                            identity, out);
}

template <class T, class In, class F, class Op>
struct Call {
  static constexpr bool kDirect = bin_update<Op, T>() == BinUpdate::kInstruction;
  const HistPlan& plan;
  const In* input;
  int64_t n;
  F f;
  Op op;
  T identity;
  T* out;
  int64_t bins;
  cudaStream_t stream;

  Word<T>* words_of_out() const { return reinterpret_cast<Word<T>*>(out); }

  cudaError_t in_blocks(Room& room, bool only_size) const {
    Word<T>* sums = kDirect ? nullptr : room.take<Word<T>>(plan.blocks * bins);
    if (only_size) return cudaSuccess;
    const auto kernel = count_in_blocks<T, In, F, Op>;
    if (const cudaError_t error = allow_shared(kernel, plan.shared); error != cudaSuccess)
      return error;
    kernel<<<plan.blocks, kThreads, plan.shared, stream>>>(
        input, n, f, op, identity, words_of_out(), sums, static_cast<int>(bins), plan.copies);
    if (!kDirect) join(sums, plan.blocks, bins, op, identity, out, stream);
    return cudaGetLastError();
  }

  // Words that are swapped, of all bins.
  Word<T>* start_sums(Room& room, bool only_size) const {
    if (kDirect) return words_of_out();
    Word<T>* sums = room.take<Word<T>>(bins);
    if (only_size) return sums;
    Word<T> none = 0;
    memcpy(&none, &identity, sizeof(T));
    fill_words<<<plan.units * 2, kThreads, 0, stream>>>(sums, none, bins);
    return sums;
  }

  cudaError_t sorted(Room& room, bool only_size) const {
    constexpr bool kCounts = Point<T, F, In>::kCounts;
    SortedPoints points{};
    points.tiles = (n + kSortTile - 1) / kSortTile;
    points.shift = plan.shift;
    points.ranges = plan.ranges;
    points.replicas = plan.replicas;
    points.room = kSortTile + kUnit * plan.ranges;
    points.bins = room.take<u16>(points.tiles * points.room);
    if (!kCounts) points.values = room.take<Word<T>>(points.tiles * points.room);
    points.table = room.take<u32>(points.tiles * points.ranges);
    points.sizes = room.take<u32>(kMostRanges);
    Word<T>* sums = start_sums(room, only_size);
    if (only_size) return cudaSuccess;
    cudaMemsetAsync(points.sizes, 0, kMostRanges * sizeof(u32), stream);
    const int64_t tile = (points.ranges * points.replicas + 3) / 4 * 16 +
                         points.room * (2 + (kCounts ? 0 : int64_t{sizeof(Word<T>)}));
    const auto sort = sort_tiles<T, In, F>;
    const auto count = count_ranges<T, kCounts, Op>;
    const int64_t words = ((int64_t{1} << plan.shift) + 4) * int64_t{sizeof(Word<T>)};
    const int64_t shared = words + frequent_bytes<Op, T>();
    if (const cudaError_t error = allow_shared(sort, tile); error != cudaSuccess) return error;
    if (const cudaError_t error = allow_shared(count, shared); error != cudaSuccess) return error;
    sort<<<static_cast<unsigned>(points.tiles), kSortThreads, tile, stream>>>(input, n, f, bins,
                                                                              points);
    count<<<plan.units + plan.ranges, kThreads, shared, stream>>>(points, plan.units, op, identity,
                                                                  sums, bins);
    if (!kDirect) join(sums, 1, bins, op, identity, out, stream);
    return cudaGetLastError();
  }

  cudaError_t in_memory(Room& room, bool only_size) const {
    Word<T>* sums = start_sums(room, only_size);
    if (only_size) return cudaSuccess;
    count_in_memory<T, In, F, Op>
        <<<plan.units * 2, kThreads, 0, stream>>>(input, n, f, op, identity, sums, bins);
    if (!kDirect) join(sums, 1, bins, op, identity, out, stream);
    return cudaGetLastError();
  }

  cudaError_t in_chains(Room& room, bool only_size) const {
    const int per_pass = plan.bins_of_pass;
    T* sums = room.take<T>(int64_t{plan.blocks} * per_pass);
    if (only_size) return cudaSuccess;
    const auto kernel = count_in_chains<T, In, F, Op>;
    if (const cudaError_t error = allow_shared(kernel, plan.shared); error != cudaSuccess)
      return error;
    for (int64_t first = 0; first < bins; first += per_pass) {
      const int some = static_cast<int>(bins - first < per_pass ? bins - first : per_pass);
      kernel<<<plan.blocks, kThreads, plan.shared, stream>>>(
          input, n, f, op, identity, sums, static_cast<int>(first), some, plan.copies, bins);
      join_values<<<(some + 31) / 32, 256, 256 * sizeof(T), stream>>>(sums, plan.blocks, some, op,
                                                                      identity, out + first);
    }
    return cudaGetLastError();
  }

  cudaError_t with_locks(Room& room, bool only_size) const {
    u32* locks = room.take<u32>(kLocks);
    if (only_size) return cudaSuccess;
    cudaMemsetAsync(locks, 0, kLocks * sizeof(u32), stream);
    count_with_locks<T, In, F, Op>
        <<<plan.units * 2, kThreads, 0, stream>>>(input, n, f, op, out, bins, locks, kLocks - 1);
    return cudaGetLastError();
  }

  cudaError_t run(Room& room, bool only_size) const {
    if constexpr (bin_update<Op, T>() == BinUpdate::kLock) {
      return plan.way == HistWay::kChains ? in_chains(room, only_size)
                                          : with_locks(room, only_size);
    } else {
      if (plan.way == HistWay::kGroupBins) return in_blocks(room, only_size);
      return plan.way == HistWay::kSortedBins ? sorted(room, only_size)
                                              : in_memory(room, only_size);
    }
  }
};

}  // namespace hist_detail

template <class T, class In, class F, class Op>
cudaError_t hist(void* temp, size_t& temp_bytes, const HistPolicy& policy, const In* input,
                 int64_t n, F f, Op op, T identity, T* out, int64_t bins, cudaStream_t stream = 0) {
  static_assert(std::is_trivially_copyable_v<T>, "bins are copied as bytes");
  if (n < 0 || bins < 0 || bins > hist_detail::kMostBins) return cudaErrorInvalidValue;
  HistPlan plan;
  const HistShape shape{n, bins, static_cast<int>(sizeof(T)), hist_detail::bin_update<Op, T>(),
                        hist_detail::Point<T, F, In>::kCounts};
  if (const cudaError_t error = plan_hist(policy, shape, plan); error != cudaSuccess) return error;
  hist_detail::Room room(temp);
  const hist_detail::Call<T, In, F, Op> call{plan, input, n, f, op, identity, out, bins, stream};
  const bool nothing = n == 0 || bins == 0;
  cudaError_t error = nothing ? cudaSuccess : call.run(room, true);
  const size_t needed = room.bytes() + 1;
  if (temp == nullptr) {
    temp_bytes = needed;
    return error;
  }
  if (temp_bytes < needed) return cudaErrorInvalidValue;
  hist_detail::Room again(temp);
  if (!nothing && error == cudaSuccess) error = call.run(again, false);
  return error;
}

template <class T, class In, class F, class Op>
cudaError_t hist(const HistPolicy& policy, const In* input, int64_t n, F f, Op op, T identity,
                 T* out, int64_t bins, cudaStream_t stream = 0) {
  size_t bytes = 0;
  cudaError_t error = hist<T>(nullptr, bytes, policy, input, n, f, op, identity, out, bins, stream);
  void* temp = nullptr;
  if (error == cudaSuccess) error = cudaMallocAsync(&temp, bytes, stream);
  if (error != cudaSuccess) return error;
  error = hist<T>(temp, bytes, policy, input, n, f, op, identity, out, bins, stream);
  const cudaError_t freed = cudaFreeAsync(temp, stream);
  return error == cudaSuccess ? freed : error;
}

}  // namespace skald
