// SPDX-License-Identifier: Apache-2.0
// The iterations of a loop, cut into as many shares as there are threads, each of which is a number
// of pieces.  A thread works through its own share from the front and then helps with what is left
// of others, from the back.  It takes many pieces at a time first and single ones in the end.  Each
// time it waits until what it has stored is in the cache, some hundred nanoseconds, so of short
// loops it takes three quarters of its share, then half of what is left of it again and again.
//
//   thread 0                  thread 1                  thread 2
//   |--->                <---|--->                <---|--->                <---|
//
// A program that runs a loop again and again, as iterative ones do, finds what a thread has worked
// on the last time in the cache of its core; where threads take what comes next, as with a
// partitioner of oneTBB that knows nothing of the last time, most of it comes from another core.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace skald::runtime {

// How iterations are cut: into shares, these into pieces.
struct Cut {
  int64_t begin = 0, count = 0;
  uint16_t shares = 1, pieces_each = 1;
  bool is_short = false;

  Cut() = default;
  // The iterations from `begin` to `end`, which are at least one; pieces have at least `grain` of
  // them where there are so many.
  Cut(int64_t first, int64_t end, int64_t grain, int threads, bool takes_little_time = false)
      : begin(first), count(end - first), is_short(takes_little_time) {
    const int64_t all = std::max<int64_t>(1, count / std::max<int64_t>(1, grain));
    shares = static_cast<uint16_t>(std::min<int64_t>(threads, all));
    pieces_each = static_cast<uint16_t>(std::min(kMostPieces, all / shares));
  }

  int64_t pieces() const { return int64_t{shares} * pieces_each; }
  // How many pieces are taken of a share that has so many left.
  uint64_t at_a_time(uint64_t left) const {
    constexpr uint64_t kParts = 8, kPartsOfShort = 2, kPartsOfFirst = 4;
    if (is_short && left == pieces_each) return left - left / kPartsOfFirst;
    return (left - 1) / (is_short ? kPartsOfShort : kParts) + 1;
  }
  // Where piece `number` begins.  Pieces differ by one iteration at most.
  int64_t boundary(int64_t number) const {
    const int64_t size = count / pieces(), longer = count % pieces();
    return begin + number * size + std::min(number, longer);
  }

 private:
  // Enough for an even end of uneven work.
  static constexpr int64_t kMostPieces = 64;
};

// What has been taken of the shares of a loop, and what threads did.  It serves one loop after the
// other, each of which is a round with a higher number; whatever an earlier round has left behind
// counts as untouched, so nothing needs to be set before the next one, and a thread that is late
// finds nothing to take.
class Shares {
 public:
  explicit Shares(int threads) : threads_(static_cast<size_t>(threads)) {
    if (threads_ > kFew) many_ = std::make_unique<Share[]>(threads_);
  }
  Shares(const Shares&) = delete;
  Shares& operator=(const Shares&) = delete;

  // Calls work(first, last) for some pieces after the other until none is left.  How many were
  // there?
  template <class Work>
  int64_t work_on(const Cut& cut, uint64_t round, int thread, const Work& work) {
    const int own = thread % cut.shares;
    int64_t pieces = 0;
    while (const int64_t count = take(cut, round, own, false, work)) pieces += count;
    for (int k = 1; k < cut.shares; ++k)
      while (const int64_t count = take(cut, round, (own + k) % cut.shares, true, work))
        pieces += count;
    return pieces;
  }

  // A thread has executed so many pieces, and all that it has stored may be read.
  void finish(uint64_t round, int thread, int64_t pieces, int64_t nanoseconds) {
    Share& own = share(static_cast<size_t>(thread) % threads_);
    uint64_t now = own.finished.load(std::memory_order_relaxed), next = 0;
    // Another thread may have had the same number a moment ago.
    const int64_t before = now >> kCountBits == round ? own.nanoseconds.load(kRelaxed) : 0;
    own.nanoseconds.store(before + nanoseconds, kRelaxed);
    do
      next =
          (now >> kCountBits == round ? now : round << kCountBits) + static_cast<uint64_t>(pieces);
    while (!own.finished.compare_exchange_weak(now, next, std::memory_order_release, kRelaxed));
  }

  // What threads have finished in this round.
  struct Spent {
    int threads = 0;
    int64_t pieces = 0, nanoseconds = 0;
  };
  Spent spent(uint64_t round) {
    Spent all;
    for (size_t k = 0; k < threads_; ++k) {
      const uint64_t finished = share(k).finished.load(std::memory_order_acquire);
      if (finished >> kCountBits != round) continue;
      ++all.threads;
      all.pieces += static_cast<int64_t>(finished & kMostCount);
      all.nanoseconds += share(k).nanoseconds.load(std::memory_order_relaxed);
    }
    return all;
  }

  // Asks for what a thread will write first.
  void prefetch(const Cut& cut, int thread) {
    __builtin_prefetch(&share(static_cast<size_t>(thread % cut.shares)), 1);
  }

 private:
  static constexpr auto kRelaxed = std::memory_order_relaxed;
  static constexpr int kCountBits = 24, kPieceBits = 8;
  static constexpr uint64_t kMostCount = (1 << kCountBits) - 1, kMostPiece = (1 << kPieceBits) - 1;

  // In a cache line of its own, because its thread writes it again and again.
  struct alignas(64) Share {
    std::atomic<uint64_t> left{0};  // the round, the pieces from the first to the last
    std::atomic<uint64_t> finished{0};
    std::atomic<int64_t> nanoseconds{0};
  };
  Share& share(size_t k) { return many_ == nullptr ? few_[k] : many_[k]; }

  // How many pieces were taken and executed?
  template <class Work>
  int64_t take(const Cut& cut, uint64_t round, int number, bool from_back, const Work& work) {
    std::atomic<uint64_t>& range = share(static_cast<size_t>(number)).left;
    uint64_t now = range.load(std::memory_order_relaxed);
    while (true) {
      if (now >> 2 * kPieceBits > round) return 0;
      const bool untouched = now >> 2 * kPieceBits < round;
      const uint64_t first = untouched ? 0 : now >> kPieceBits & kMostPiece;
      const uint64_t last = untouched ? cut.pieces_each : now & kMostPiece;
      if (first >= last) return 0;
      const uint64_t count = cut.at_a_time(last - first);
      const uint64_t left =
          round << 2 * kPieceBits |
          (from_back ? first << kPieceBits | (last - count) : (first + count) << kPieceBits | last);
      if (!range.compare_exchange_weak(now, left, std::memory_order_relaxed)) continue;
      const int64_t begin = int64_t{number} * cut.pieces_each +
                            static_cast<int64_t>(from_back ? last - count : first);
      work(cut.boundary(begin), cut.boundary(begin + static_cast<int64_t>(count)));
      return static_cast<int64_t>(count);
    }
  }

  static constexpr size_t kFew = 4;
  size_t threads_;
  std::unique_ptr<Share[]> many_;
  std::array<Share, kFew> few_;  // unless there are many
};

}  // namespace skald::runtime
