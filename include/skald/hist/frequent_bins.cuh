// SPDX-License-Identifier: Apache-2.0
// Bins that come often, where updates swap words: of all threads that want one
// bin, one gets it, and the others try again.  So a block looks at its first
// points, and if some bins come often among them, each thread has a place of
// its own for each of these.  At the end places join their bins.
#pragma once

#include "points.cuh"

namespace skald::hist_detail {

constexpr int kSlots = 256;            // of the table that says which bins have places
constexpr int kPlaceBytes = 32 << 10;  // of a block
// A bin comes often if one in so many points that are looked at goes to it.
constexpr int kOftenPart = 64;

template <class T>
__host__ __device__ constexpr int most_places() {
  return kPlaceBytes / (kThreads * static_cast<int>(sizeof(Word<T>)));
}
template <class Op, class T>
__host__ __device__ constexpr int64_t frequent_bytes() {
  return bin_update<Op, T>() == BinUpdate::kSwap ? kPlaceBytes : 0;
}

struct FrequentSlots {
  int tags[kSlots];  // a bin and the number of its places; -1: nothing
  int taken;
};

// Of `words` bins; all threads of a block call each function together, but for
// `update`.
template <class T>
class FrequentBins {
 public:
  __device__ FrequentBins(Word<T>* words, Word<T>* places, FrequentSlots& slots)
      : words_(words), places_(places), slots_(slots) {}

  // Bins hold numbers of points then; `sample` shows the places of `looked`
  // points at most.  Does any bin come often?
  template <class Sample>
  __device__ bool find(int count, int looked, Sample sample) {
    u32* counters = reinterpret_cast<u32*>(words_);
    for (int k = threadIdx.x; k < count; k += kThreads) counters[k] = 0;
    if (threadIdx.x < kSlots) slots_.tags[threadIdx.x] = -1;
    if (threadIdx.x == 0) slots_.taken = 0;
    __syncthreads();
    sample([&](u32 at) { atomicAdd(counters + at, 1u); });
    __syncthreads();
    const u32 often = static_cast<u32>(looked / kOftenPart);
    sample([&](u32 at) {
      if (counters[at] >= often)
        atomicCAS(slots_.tags + slot_of(at), -1, static_cast<int>(at << 4));
    });
    __syncthreads();
    if (threadIdx.x < kSlots && slots_.tags[threadIdx.x] >= 0) {
      const int number = atomicAdd(&slots_.taken, 1);
      slots_.tags[threadIdx.x] = number < most_places<T>() ? slots_.tags[threadIdx.x] | number : -1;
    }
    __syncthreads();
    return slots_.taken > 0;
  }

  __device__ void clear(Word<T> identity) {
    for (int k = 0; k < most_places<T>(); ++k) places_[k * kThreads + threadIdx.x] = identity;
  }

  // Does this thread have a place for the bin?  Then it has the value, too.
  template <class Op>
  __device__ bool update(u32 at, T value, Op op) const {
    const int tag = slots_.tags[slot_of(at)];
    if (tag >> 4 != static_cast<int>(at)) return false;
    Word<T>* place = places_ + (tag & 15) * kThreads + threadIdx.x;
    *place = to_word(op(from_word<T>(*place), value));
    return true;
  }

  template <class Op>
  __device__ void join(Op op) {
    const int used = min(slots_.taken, most_places<T>());
    for (int half = kThreads / 2; half > 0; half /= 2) {
      for (int k = threadIdx.x; k < used * half; k += kThreads) {
        Word<T>* to = places_ + k / half * kThreads + k % half;
        *to = to_word(op(from_word<T>(*to), from_word<T>(to[half])));
      }
      __syncthreads();
    }
    if (used > 0 && threadIdx.x < kSlots && slots_.tags[threadIdx.x] >= 0) {
      const int tag = slots_.tags[threadIdx.x];
      Word<T>* bin = words_ + (tag >> 4);
      *bin = to_word(op(from_word<T>(*bin), from_word<T>(places_[(tag & 15) * kThreads])));
    }
    __syncthreads();
  }

 private:
  __device__ static u32 slot_of(u32 at) { return at * 2654435761u >> 20 & (kSlots - 1); }

  Word<T>* words_;
  Word<T>* places_;
  FrequentSlots& slots_;
};

}  // namespace skald::hist_detail
