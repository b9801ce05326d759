// SPDX-License-Identifier: Apache-2.0
// The iterations of a loop, cut into as many shares as there are threads, each of which is a number
// of pieces.  A thread works through its own share from the front and then helps with what is left
// of others, from the back.  It takes many pieces at a time first and single ones in the end.
//
//   thread 0                  thread 1                  thread 2
//   |--->                <---|--->                <---|--->                <---|
//
// A program that runs a loop again and again, as iterative ones do, finds what a thread has worked
// on the last time in the cache of its core; where threads take what comes next, as with a
// partitioner of oneTBB that knows nothing of the last time, most of it comes from another core.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

namespace skald::runtime {

class Shares {
 public:
  // Of the iterations from `begin` to `end`, which are at least one; pieces have at least `grain`
  // of them where there are so many.
  Shares(int64_t begin, int64_t end, int64_t grain, int threads)
      : begin_(begin), count_(end - begin) {
    const int64_t pieces = std::max<int64_t>(1, count_ / std::max<int64_t>(1, grain));
    shares_ = static_cast<int>(std::min<int64_t>(threads, pieces));
    pieces_each_ = std::min(kMostPieces, pieces / shares_);
    left_ = std::make_unique<Left[]>(static_cast<size_t>(shares_));
    for (int k = 0; k < shares_; ++k)
      left_[static_cast<size_t>(k)].range.store(static_cast<uint64_t>(pieces_each_) << 32,
                                                std::memory_order_relaxed);
  }

  // How many threads can have something to do.
  int threads() const { return shares_; }

  // Calls work(first, last) for some pieces after the other until none is left.
  template <class Work>
  void work_on(int thread, const Work& work) {
    const int own = thread % shares_;
    while (take(own, false, work)) {
    }
    for (int k = 1; k < shares_; ++k)
      while (take((own + k) % shares_, true, work)) {
      }
  }

 private:
  // Enough for an even end of uneven work.
  static constexpr int64_t kMostPieces = 64;
  // A part of what is left of a share is taken at a time.
  static constexpr uint64_t kParts = 8;
  static constexpr uint64_t kLow = 0xffffffff;

  // The pieces that are left, from the low half to the high half, in a cache line of its own.
  struct alignas(64) Left {
    std::atomic<uint64_t> range{0};
  };

  template <class Work>
  bool take(int share, bool from_back, const Work& work) {
    std::atomic<uint64_t>& range = left_[static_cast<size_t>(share)].range;
    uint64_t now = range.load(std::memory_order_relaxed);
    while (true) {
      const uint64_t first = now & kLow, last = now >> 32;
      if (first >= last) return false;
      const uint64_t count = (last - first - 1) / kParts + 1;
      const uint64_t left = from_back ? now - (count << 32) : now + count;
      if (!range.compare_exchange_weak(now, left, std::memory_order_relaxed)) continue;
      const int64_t begin =
          share * pieces_each_ + static_cast<int64_t>(from_back ? last - count : first);
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
  int shares_ = 1;
  int64_t pieces_each_ = 1;
  std::unique_ptr<Left[]> left_;
};

}  // namespace skald::runtime
