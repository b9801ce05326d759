// SPDX-License-Identifier: Apache-2.0
// Many bins: one pass sorts the points of tiles by ranges of bins that fit
// shared memory, another counts range by range.
//
// A point becomes its bin in the range, in 16 bits, and its value, unless all
// values are one.  The part of a range in a tile begins at a multiple of kUnit
// points, and what is between is filled up with a bin that does not exist.  A
// table says where the part of each range in each tile lies.
#pragma once

#include "group_bins.cuh"

namespace skald::hist_detail {

constexpr int kSortThreads = 512, kSortPoints = 16, kSortTile = kSortThreads * kSortPoints;
constexpr int kUnit = 8;  // points that a thread takes at once
constexpr int kTeam = 8;  // threads that take a part together
constexpr int kMostRanges = 256;

struct SortedPoints {
  u16* bins;     // of all tiles, `room` for each
  void* values;  // the same; null: all are one
  u32* table;    // begin and end of range r in tile t, in units, at r * tiles + t
  u32* sizes;    // points of each range
  int64_t tiles;
  int room, shift, ranges, replicas;
};

// Where a bin of a range lies; the other way round it is the same.  Bins that
// are a multiple of 32 apart then lie in different banks.
__device__ inline u32 mixed(u32 bin) {
  return bin ^ (bin >> 5 & 31);
}

// Where each range begins in the tile, by the first warp; counters become the
// places of their first points.
__device__ inline u32 place_ranges(const SortedPoints& to, u32* counts, u16* bins) {
  const int lane = threadIdx.x, per_lane = (to.ranges + 31) / 32;
  u32 mine = 0;
  for (int r = lane * per_lane; r < min((lane + 1) * per_lane, to.ranges); ++r) {
    u32 size = 0;
    for (int k = 0; k < to.replicas; ++k) size += counts[r * to.replicas + k];
    if (size != 0) atomicAdd(to.sizes + r, size);
    mine += (size + kUnit - 1) / kUnit * kUnit;
  }
  u32 end = mine;
  for (int apart = 1; apart < 32; apart *= 2) {
    const u32 before = __shfl_up_sync(~0u, end, apart);
    if (lane >= apart) end += before;
  }
  u32 begin = end - mine;
  for (int r = lane * per_lane; r < min((lane + 1) * per_lane, to.ranges); ++r) {
    u32 place = begin;
    for (int k = 0; k < to.replicas; ++k) {
      const u32 size = counts[r * to.replicas + k];
      counts[r * to.replicas + k] = place;
      place += size;
    }
    const u32 next = (place + kUnit - 1) / kUnit * kUnit;
    to.table[r * to.tiles + blockIdx.x] = begin / kUnit | next / kUnit << 16;
    for (; place < next; ++place) bins[place] = static_cast<u16>(1u << to.shift);
    begin = next;
  }
  return __shfl_sync(~0u, end, 31);
}

template <class T, class In, class F>
__global__ void __launch_bounds__(kSortThreads)
    sort_tiles(const In* input, int64_t n, F f, int64_t all_bins, SortedPoints to) {
  constexpr bool kCounts = Point<T, F, In>::kCounts;
  u32* counts = shared_memory<u32>();
  u16* bins = reinterpret_cast<u16*>(counts + (to.ranges * to.replicas + 3) / 4 * 4);
  Word<T>* values = reinterpret_cast<Word<T>*>(bins + to.room);
  __shared__ u32 points;
  for (int k = threadIdx.x; k < to.ranges * to.replicas; k += kSortThreads) counts[k] = 0;
  u32 bin[kSortPoints];
  T value[kSortPoints];
  points_of(input, n, f, all_bins, int64_t{blockIdx.x} * kSortTile, kSortThreads, bin, value);
  __syncthreads();
  const u32 replica = threadIdx.x & (to.replicas - 1);
  u16 rank[kSortPoints];
#pragma unroll
  for (int k = 0; k < kSortPoints; ++k)
    if (bin[k] != kNoBin)
      rank[k] =
          static_cast<u16>(atomicAdd(counts + (bin[k] >> to.shift) * to.replicas + replica, 1u));
  __syncthreads();
  if (threadIdx.x < 32) {
    const u32 all = place_ranges(to, counts, bins);
    if (threadIdx.x == 0) points = all;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kSortPoints; ++k) {
    if (bin[k] == kNoBin) continue;
    const u32 place = counts[(bin[k] >> to.shift) * to.replicas + replica] + rank[k];
    bins[place] = static_cast<u16>(mixed(bin[k] & ((1u << to.shift) - 1)));
    if constexpr (!kCounts) values[place] = to_word(value[k]);
  }
  __syncthreads();
  const int64_t tile = int64_t{blockIdx.x} * to.room;
  const auto copy = [&](const void* from, void* into, u32 bytes) {
    for (u32 k = threadIdx.x; k < bytes / 16; k += kSortThreads)
      static_cast<uint4*>(into)[k] = static_cast<const uint4*>(from)[k];
  };
  copy(bins, to.bins + tile, points * 2);
  if constexpr (!kCounts)
    copy(values, static_cast<Word<T>*>(to.values) + tile, points * sizeof(Word<T>));
}

// Which range a block counts, and which share of its tiles: ranges have blocks
// by their sizes.
struct Share {
  int range, number, of;
};
__device__ inline Share find_share(const SortedPoints& from, int blocks) {
  u64 all = 0;
  for (int r = 0; r < from.ranges; ++r) all += from.sizes[r];
  const u64 quota = all / blocks + 1;
  int number = static_cast<int>(blockIdx.x);
  for (int r = 0; r < from.ranges; ++r) {
    const int some = static_cast<int>((from.sizes[r] + quota / 2) / quota);
    const int of = some == 0 && from.sizes[r] > 0 ? 1 : some;
    if (number < of) return {r, number, of};
    number -= of;
  }
  return {-1, 0, 1};
}

template <class T, bool kCounts>
__device__ T value_of(const SortedPoints& from, int64_t point) {
  if constexpr (kCounts)
    return T(1);
  else
    return from_word<T>(static_cast<const Word<T>*>(from.values)[point]);
}

// `update` gets a bin and a value.
template <class T, bool kCounts, class Op, class Update>
__device__ void count_unit(const SortedPoints& from, int64_t first, Op op, Update update) {
  const uint4 wide = *reinterpret_cast<const uint4*>(from.bins + first);
  u16 bin[kUnit];
  memcpy(bin, &wide, sizeof(wide));
  u32 run = bin[0];
  T sum = value_of<T, kCounts>(from, first);
#pragma unroll
  for (int k = 1; k < kUnit; ++k) {
    const T value = value_of<T, kCounts>(from, first + k);
    if (bin[k] == run) {
      sum = op(sum, value);
      continue;
    }
    update(run, sum);
    run = bin[k];
    sum = value;
  }
  update(run, sum);
}

// Units of the parts of a range, by teams of threads: body(number of its first
// point) until it says that there are enough.
template <class Body>
__device__ void each_unit(const SortedPoints& from, const Share& share, Body body) {
  const u32* table = from.table + share.range * from.tiles;
  const int64_t step = int64_t{share.of} * (kThreads / kTeam);
  const int64_t start = int64_t{share.number} * (kThreads / kTeam) + threadIdx.x / kTeam;
  u32 part = start < from.tiles ? table[start] : 0;
  for (int64_t tile = start; tile < from.tiles; tile += step) {
    const u32 next = tile + step < from.tiles ? table[tile + step] : 0;
    for (u32 unit = (part & 0xffff) + threadIdx.x % kTeam; unit < part >> 16; unit += kTeam)
      if (!body(tile * from.room + unit * kUnit)) return;
    part = next;
  }
}

// The same in as many rounds for all threads of a warp, which come to all of them, whether there is
// a unit for them or not: body(number of its first point, is there one?).
template <class Body>
__device__ void each_round(const SortedPoints& from, const Share& share, Body body) {
  constexpr int kTeamsOfWarp = 32 / kTeam;
  const u32* table = from.table + share.range * from.tiles;
  const int64_t step = int64_t{share.of} * (kThreads / kTeam);
  const int64_t team = threadIdx.x % 32 / kTeam;
  const int64_t start =
      int64_t{share.number} * (kThreads / kTeam) + threadIdx.x / 32 * kTeamsOfWarp;
  const auto part_of = [&](int64_t tile) { return tile < from.tiles ? table[tile] : 0; };
  u32 part = part_of(start + team);
  for (int64_t first = start; first < from.tiles; first += step) {
    const int64_t tile = first + team;
    const u32 next = part_of(tile + step), begin = part & 0xffff, end = part >> 16;
    const u32 rounds = (end - begin + kTeam - 1) / kTeam;
    u32 most = rounds;
#pragma unroll
    for (int apart = kTeam; apart < 32; apart *= 2)
      most = max(most, __shfl_xor_sync(~0u, most, apart));
    for (u32 round = 0; round < most; ++round) {
      const u32 unit = begin + threadIdx.x % kTeam + round * kTeam;
      body(tile * from.room + unit * kUnit, unit < end);
    }
    part = next;
  }
}

// The points of a unit, one by one, if there is one; the threads of a warp meet after each.
template <class T, bool kCounts, class Op, class Update>
__device__ void count_together(const SortedPoints& from, int64_t first, bool exists, Op op,
                               Update update) {
  uint4 wide = {};
  if (exists) wide = *reinterpret_cast<const uint4*>(from.bins + first);
  u16 bin[kUnit];
  memcpy(bin, &wide, sizeof(wide));
  T sum;
  bool holds = false;
#pragma unroll
  for (int k = 0; k < kUnit; ++k) {
    if (exists) {
      const T value = value_of<T, kCounts>(from, first + k);
      sum = holds ? op(sum, value) : value;
      holds = k + 1 < kUnit && bin[k + 1] == bin[k];
      if (!holds) update(bin[k], sum);
    }
    __syncwarp();
  }
}

// Instructions add to `out`, others swap words of `sums`.
template <class T, bool kCounts, class Op>
__global__ void __launch_bounds__(kThreads)
    count_ranges(SortedPoints from, int blocks, Op op, T identity, Word<T>* out, int64_t all_bins) {
  __shared__ Share share;
  if (threadIdx.x == 0) share = find_share(from, blocks);
  Word<T>* words = shared_memory<Word<T>>();
  const int places = 1 << from.shift;
  __syncthreads();
  if (share.range < 0) return;
  constexpr bool kSwaps = bin_update<Op, T>() == BinUpdate::kSwap;
  __shared__ FrequentSlots slots;
  FrequentBins<T> frequent(words, words + places + 4, slots);
  bool often = false;
  if constexpr (kSwaps) {
    often = frequent.find(places + 1, kThreads * kUnit, [&](auto show) {
      each_unit(from, share, [&](int64_t first) {
        for (int k = 0; k < kUnit; ++k)
          if (from.bins[first + k] < places) show(from.bins[first + k]);
        return false;
      });
    });
    frequent.clear(to_word(identity));
  }
  // One more for what fills up.
  for (int k = threadIdx.x; k <= places; k += kThreads) words[k] = to_word(identity);
  __syncthreads();
  const auto here = [&](u32 bin, T value) { update_word(words + bin, value, op, identity); };
  const auto count = [&](auto update) {
    if constexpr (kSwaps)
      each_round(from, share, [&](int64_t first, bool exists) {
        count_together<T, kCounts>(from, first, exists, op, update);
      });
    else
      each_unit(from, share, [&](int64_t first) {
        count_unit<T, kCounts>(from, first, op, update);
        return true;
      });
  };
  if (often)
    count([&](u32 bin, T value) {
      if (!frequent.update(bin, value, op)) here(bin, value);
    });
  else
    count(here);
  __syncthreads();
  if constexpr (kSwaps) frequent.join(op);
  const int64_t first = int64_t{share.range} << from.shift;
  for (int b = threadIdx.x; b < 1 << from.shift && first + b < all_bins; b += kThreads)
    if (const Word<T> word = words[mixed(b)]; word != to_word(identity))
      update_word(out + first + b, from_word<T>(word), op, identity);
}

}  // namespace skald::hist_detail
