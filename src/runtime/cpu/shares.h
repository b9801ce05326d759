// SPDX-License-Identifier: Apache-2.0
// The iterations of a loop, cut into as many shares as there are threads, each of which is a number
// of pieces.  A thread works through its own share from the front and then helps with what is left
// of others, from the back.  It takes many pieces at a time first and single ones in the end.  Each
// time it waits until what it has stored is in the cache, some hundred nanoseconds, so short loops
// are taken in halves: of its share, then of what is left of it.
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

class Shares {
 public:
  // Of the iterations from `begin` to `end`, which are at least one; pieces have at least `grain`
  // of them where there are so many.
  Shares(int64_t begin, int64_t end, int64_t grain, int threads, bool is_short = false)
      : begin_(begin), count_(end - begin), parts_(is_short ? kPartsOfShort : kParts) {
    const int64_t pieces = std::max<int64_t>(1, count_ / std::max<int64_t>(1, grain));
    shares_ = static_cast<int>(std::min<int64_t>(threads, pieces));
    pieces_each_ = std::min(kMostPieces, pieces / shares_);
    if (shares_ > kFew) many_ = std::make_unique<Share[]>(static_cast<size_t>(shares_));
    for (int k = 0; k < shares_; ++k)
      share(k).left.store(static_cast<uint64_t>(pieces_each_) << 32, std::memory_order_relaxed);
  }
  Shares(const Shares&) = delete;
  Shares& operator=(const Shares&) = delete;

  // How many threads can have something to do.
  int threads() const { return shares_; }

  // Calls work(first, last) for some pieces after the other until none is left.  Was there any?
  template <class Work>
  bool work_on(int thread, const Work& work) {
    const int own = thread % shares_;
    bool any = false;
    while (take(own, false, work)) any = true;
    for (int k = 1; k < shares_; ++k)
      while (take((own + k) % shares_, true, work)) any = true;
    return any;
  }

  // What threads did, to be asked for when they have ended.
  struct Spent {
    int threads = 0;  // that had something to do
    int64_t nanoseconds = 0;
  };
  void add_spent(int thread, int64_t nanoseconds) {
    Share& own = share(thread % shares_);
    own.nanoseconds.fetch_add(nanoseconds, std::memory_order_relaxed);
    own.worked.fetch_add(1, std::memory_order_relaxed);
  }
  Spent spent() {
    Spent all;
    for (int k = 0; k < shares_; ++k) {
      all.threads += share(k).worked.load(std::memory_order_relaxed);
      all.nanoseconds += share(k).nanoseconds.load(std::memory_order_relaxed);
    }
    return all;
  }

 private:
  // Enough for an even end of uneven work.
  static constexpr int64_t kMostPieces = 64;
  // A part of what is left of a share is taken at a time.
  static constexpr uint64_t kParts = 8, kPartsOfShort = 2;
  static constexpr uint64_t kLow = 0xffffffff;

  // In a cache line of its own, because its thread writes it again and again.
  struct alignas(64) Share {
    std::atomic<uint64_t> left{0};  // pieces, from the low half to the high half
    std::atomic<int64_t> nanoseconds{0};
    std::atomic<int> worked{0};
  };
  Share& share(int k) {
    const auto at = static_cast<size_t>(k);
    return many_ == nullptr ? few_[at] : many_[at];
  }

  template <class Work>
  bool take(int number, bool from_back, const Work& work) {
    std::atomic<uint64_t>& range = share(number).left;
    uint64_t now = range.load(std::memory_order_relaxed);
    while (true) {
      const uint64_t first = now & kLow, last = now >> 32;
      if (first >= last) return false;
      const uint64_t count = (last - first - 1) / parts_ + 1;
      const uint64_t left = from_back ? now - (count << 32) : now + count;
      if (!range.compare_exchange_weak(now, left, std::memory_order_relaxed)) continue;
      const int64_t begin =
          number * pieces_each_ + static_cast<int64_t>(from_back ? last - count : first);
      work(boundary(begin), boundary(begin + static_cast<int64_t>(count)));
      return true;
    }
  }

  // Where piece `number` begins.  Pieces differ by one iteration at most.
  int64_t boundary(int64_t number) const {
    const int64_t pieces = pieces_each_ * shares_;
    const int64_t size = count_ / pieces, longer = count_ % pieces;
    return begin_ + number * size + std::min(number, longer);
  }

  int64_t begin_, count_;
  uint64_t parts_;
  int shares_ = 1;
  int64_t pieces_each_ = 1;
  static constexpr int kFew = 4;
  std::unique_ptr<Share[]> many_;
  std::array<Share, kFew> few_;  // unless there are many
};

}  // namespace skald::runtime
