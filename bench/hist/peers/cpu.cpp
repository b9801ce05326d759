// SPDX-License-Identifier: Apache-2.0
// Histograms written by hand for the cpu, as a library for run.py: for each operator, in order,
// with private copies, with atomic instructions or locks, and partitioned by ranges of bins. `bins`
// begin with neutral elements.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace {

template <class Work>
void on_threads(int threads, const Work& work) {
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back([&, t] { work(t); });
  work(0);
  for (std::thread& other : others) other.join();
}

int64_t share(int64_t n, int t, int threads) {
  return n * t / threads;
}

uint32_t hash(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352d;
  x = (x ^ (x >> 15)) * 0x846ca68b;
  return x ^ (x >> 16);
}

struct Add {
  using Bin = int32_t;
  static Bin neutral() { return 0; }
  static Bin value(int32_t, int64_t) { return 1; }
  static Bin combine(Bin a, Bin b) { return a + b; }
};
struct Saturating {
  using Bin = int32_t;
  static Bin neutral() { return 0; }
  static Bin value(int32_t key, int64_t) { return 1 + (key & 3); }
  static Bin combine(Bin a, Bin b) { return std::min(a + b, 0xffffff); }
};
struct Argmax {
  struct Bin {
    int32_t index, value;
  };
  static Bin neutral() { return {INT32_MAX, INT32_MIN}; }
  static Bin value(int32_t key, int64_t i) {
    return {static_cast<int32_t>(i),
            static_cast<int32_t>(hash(static_cast<uint32_t>(key) + static_cast<uint32_t>(i)) >> 8)};
  }
  static Bin combine(Bin a, Bin b) {
    if (a.value != b.value) return a.value > b.value ? a : b;
    return a.index < b.index ? a : b;
  }
};

template <class Op>
void update(typename Op::Bin* bins, int64_t h, int32_t key, typename Op::Bin value) {
  if (static_cast<uint64_t>(key) < static_cast<uint64_t>(h))
    bins[key] = Op::combine(bins[key], value);
}

template <class Op>
void in_order(const int32_t* keys, int64_t n, int64_t h, typename Op::Bin* bins, int) {
  for (int64_t i = 0; i < n; ++i) update<Op>(bins, h, keys[i], Op::value(keys[i], i));
}

template <class Op>
void private_copies(const int32_t* keys, int64_t n, int64_t h, typename Op::Bin* bins,
                    int threads) {
  std::vector<std::vector<typename Op::Bin>> copies(static_cast<size_t>(threads));
  on_threads(threads, [&](int t) {
    auto& own = copies[static_cast<size_t>(t)];
    own.assign(static_cast<size_t>(h), Op::neutral());
    for (int64_t i = share(n, t, threads); i < share(n, t + 1, threads); ++i)
      update<Op>(own.data(), h, keys[i], Op::value(keys[i], i));
  });
  on_threads(threads, [&](int t) {
    for (int64_t b = share(h, t, threads); b < share(h, t + 1, threads); ++b)
      for (const auto& copy : copies) bins[b] = Op::combine(bins[b], copy[static_cast<size_t>(b)]);
  });
}

template <class Op>
void atomically(const int32_t* keys, int64_t n, int64_t h, typename Op::Bin* bins, int threads) {
  using Bin = typename Op::Bin;
  on_threads(threads, [&](int t) {
    for (int64_t i = share(n, t, threads); i < share(n, t + 1, threads); ++i) {
      if (static_cast<uint64_t>(keys[i]) >= static_cast<uint64_t>(h)) continue;
      std::atomic_ref<Bin> bin(*reinterpret_cast<Bin*>(bins + keys[i]));
      const Bin value = Op::value(keys[i], i);
      if constexpr (std::is_same_v<Op, Add>) {
        bin.fetch_add(value, std::memory_order_relaxed);
      } else {
        Bin old = bin.load(std::memory_order_relaxed);
        while (
            !bin.compare_exchange_weak(old, Op::combine(old, value), std::memory_order_relaxed)) {
        }
      }
    }
  });
}

// Keys and places are sorted by ranges of 2^15 bins, or more if that makes more than 512 ranges;
// then each range is done by one thread.
template <class Op>
void partitioned(const int32_t* keys, int64_t n, int64_t h, typename Op::Bin* bins, int threads) {
  struct Entry {
    int32_t key;
    typename Op::Bin value;
  };
  int shift = 15;
  while (((h - 1) >> shift) >= 512) ++shift;
  const int64_t ranges = ((h - 1) >> shift) + 1;
  std::vector<int64_t> begin(static_cast<size_t>(ranges * threads + 1));
  const auto inside = [&](int64_t i) {
    return static_cast<uint64_t>(keys[i]) < static_cast<uint64_t>(h);
  };
  on_threads(threads, [&](int t) {
    std::vector<int64_t> counts(static_cast<size_t>(ranges));
    for (int64_t i = share(n, t, threads); i < share(n, t + 1, threads); ++i)
      if (inside(i)) ++counts[static_cast<size_t>(keys[i] >> shift)];
    for (int64_t r = 0; r < ranges; ++r)
      begin[static_cast<size_t>(r * threads + t + 1)] = counts[static_cast<size_t>(r)];
  });
  for (size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
  const auto sorted = std::make_unique_for_overwrite<Entry[]>(static_cast<size_t>(n));
  on_threads(threads, [&](int t) {
    std::vector<int64_t> next(static_cast<size_t>(ranges));
    for (int64_t r = 0; r < ranges; ++r)
      next[static_cast<size_t>(r)] = begin[static_cast<size_t>(r * threads + t)];
    for (int64_t i = share(n, t, threads); i < share(n, t + 1, threads); ++i)
      if (inside(i))
        sorted[static_cast<size_t>(next[static_cast<size_t>(keys[i] >> shift)]++)] = {
            keys[i], Op::value(keys[i], i)};
  });
  std::atomic<int64_t> range{0};
  on_threads(threads, [&](int) {
    for (int64_t r; (r = range++) < ranges;)
      for (int64_t i = begin[static_cast<size_t>(r * threads)];
           i < begin[static_cast<size_t>((r + 1) * threads)]; ++i)
        bins[sorted[static_cast<size_t>(i)].key] = Op::combine(
            bins[sorted[static_cast<size_t>(i)].key], sorted[static_cast<size_t>(i)].value);
  });
}

}  // namespace

#define PEER(name, Op, way)                                                                  \
  extern "C" void name(const int32_t* keys, int64_t n, int64_t h, void* bins, int threads) { \
    auto* out = static_cast<Op::Bin*>(bins);                                                 \
    std::fill(out, out + h, Op::neutral());                                                  \
    way<Op>(keys, n, h, out, threads);                                                       \
  }
#define PEERS(name, Op)                    \
  PEER(name##_in_order, Op, in_order)      \
  PEER(name##_private, Op, private_copies) \
  PEER(name##_atomic, Op, atomically)      \
  PEER(name##_partitioned, Op, partitioned)
PEERS(add, Add)
PEERS(saturating, Saturating)
PEERS(argmax, Argmax)
