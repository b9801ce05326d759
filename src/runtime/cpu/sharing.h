// SPDX-License-Identifier: Apache-2.0
// What loops took when they ran before, and so whether threads should share them.
//
// Loops are known by their code and the magnitude of their effort: iterations, or statements where
// the compiler knows how many an iteration has, because these may be fewer from run to run, as in
// the steps of a decomposition.  Of each, two times are kept: by one thread alone, and by several
// together, from the call to its end, whatever it was that took long: handing out, cache lines that
// change hands, other programs on the cores.
//
//   work, by one thread      what is done
//   below 1 µs               alone; how long it takes is looked at only every fourth time
//   below 3 µs               alone
//   below 8 µs               alone, unless helpers watch for the next loop; if so, as below
//   up to 256 µs             both are tried; then what took less, the other one now and then
//                            (seldom where it is clear which one is better, at once where sharing
//                            takes longer than one thread did).  Going over to `together` must
//                            promise a fifth, because data that lies in the caches of several cores
//                            makes the loops after it slower, unless it lies there anyway because
//                            helpers watch; it stays as long as it takes less
//   above                    together, if one thread has been seen to need so long
//
// Trying one thread costs three times what a shared run takes: the data comes from the other cache
// and goes back there.  So loops that will probably be shared are not tried in the first runs, and
// those of more than 32 µs not even once.
//
// It is no harm if two loops share a place, or if the next run is quite different: then the wrong
// thing is done once.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace skald::runtime {

class Sharing {
 public:
  using Key = uint64_t;
  enum class Plan { kUnknown, kAlone, kTogether };
  struct Advice {
    Plan plan = Plan::kUnknown;
    double work = 0;      // nanoseconds of one thread
    bool measure = true;  // should ran_alone or ran_together be told?
  };
  static constexpr double kLongEnough = 8e3, kSurelyLong = 256e3, kVeryLong = 1e6;

  // `body` is the address of a function.
  static Key key(const void* body, double effort) {
    constexpr double kMost = 0x1p62;
    return reinterpret_cast<uintptr_t>(body) << 6 |
           static_cast<Key>(std::bit_width(static_cast<uint64_t>(std::min(effort, kMost))));
  }

  // For a loop of this effort that is about to run.  `watched`: are there helpers that watch?
  Advice advise(Key key, double effort, bool watched) {
    Entry& entry = entries_[place(key)];
    if (entry.key.load(std::memory_order_relaxed) != key) return {};
    const double work = entry.work.load(std::memory_order_relaxed) * effort;
    if (work < kVeryShort) {
      const uint32_t run = entry.runs.load(std::memory_order_relaxed);
      entry.runs.store(run + 1, std::memory_order_relaxed);
      return {Plan::kAlone, work, run % kSometimes == 0};
    }
    if (work < (watched ? kLongIfWatched : kLongEnough)) return {Plan::kAlone, work};
    // What threads that share it have worked may be much more than one would.
    const bool ran_alone = entry.ran_alone.load(std::memory_order_relaxed);
    if (work < kProbablyLong && !ran_alone) return {Plan::kAlone, work};
    if (work > (ran_alone ? kSurelyLong : kVeryLong)) return {Plan::kTogether, work};
    return {choose(entry, watched) ? Plan::kTogether : Plan::kAlone, work};
  }

  void ran_alone(Key key, double effort, int64_t nanoseconds) {
    Entry& entry = entry_of(key);
    const double now = each(effort, nanoseconds);
    const bool first = !entry.ran_alone.exchange(true, std::memory_order_relaxed);
    if (first || entry.chosen.load(std::memory_order_relaxed))
      entry.alone.store(now, std::memory_order_relaxed);
    else
      follow(entry.alone, now);
    entry.work.store(entry.alone.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }

  // `spent` is what all `threads` that came have worked, which is not less than what one would
  // have.
  void ran_together(Key key, double effort, int64_t nanoseconds, int64_t spent, int threads) {
    Entry& entry = entry_of(key);
    if (threads < 2)
      nobody_came(entry);
    else if (entry.chosen.load(std::memory_order_relaxed))
      follow(entry.together, each(effort, nanoseconds));
    else
      tried(entry.together, each(effort, nanoseconds));
    const double work = entry.work.load(std::memory_order_relaxed), most = each(effort, spent);
    // The work may have grown; loops that are shared are seldom run alone, and long ones never.
    if (work == 0 || most < work || entry.chosen.load(std::memory_order_relaxed) ||
        work * effort > kSurelyLong)
      follow(entry.work, most);
  }

 private:
  // Looking at the clock twice takes as long as some hundred operations.
  static constexpr double kVeryShort = 1e3;
  // Helpers that watch begin within a fraction of a microsecond.
  static constexpr double kLongIfWatched = 3e3;
  // Probably shared: what several threads need to begin and to end is little beside it.
  static constexpr double kProbablyLong = 32e3;
  static constexpr uint32_t kSometimes = 4;
  // Runs in a row when they are tried together.  On a busy machine it may take some until another
  // thread comes; until then they cost little and say nothing.
  static constexpr uint32_t kTrial = 4, kMostInVain = 60;
  // When they are tried alone; the first one has to bring its data from other caches.
  static constexpr uint32_t kTrialAlone = 2;
  // Runs between two trials, more and more, because trying what is worse may cost a thousand times
  // the work if somebody else has the core.
  static constexpr uint32_t kAfterChange = 16, kMost = 512, kMostIfClear = 4096;
  struct Entry {
    std::atomic<Key> key{0};
    // Nanoseconds of an effort of 1; 0: not known.  `work` is what threads have worked at it, all
    // together; `alone` and `together` are from the call to the end.
    std::atomic<double> work{0}, alone{0}, together{0};
    std::atomic<uint32_t> runs{0};
    std::atomic<uint32_t> trial{0},
        interval{0};                   // the run of the next trial; how long after the last
    std::atomic<uint32_t> decided{0};  // the run in which it was chosen
    std::atomic<uint32_t> in_vain{0};  // runs of this trial that nobody came to
    std::atomic<bool> ran_alone{false};
    std::atomic<bool> chosen{true};  // together
  };

  // Should it be run together?  That is decided when the other way has been tried, because only
  // then both times are of now: the work of a loop may change from run to run.
  static bool choose(Entry& entry, bool watched) {
    // Without a distance between the two, loops for which both are alike would go to and fro, and
    // their data with them.
    const double worth_changing = watched ? 0.95 : 0.8;
    constexpr double kClearlyLess = 0.75;
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const uint32_t run = entry.runs.fetch_add(1, kRelaxed);
    const bool chosen = entry.chosen.load(kRelaxed);
    const double alone = entry.alone.load(kRelaxed), together = entry.together.load(kRelaxed);
    const auto next_trial = [&](uint32_t interval) {
      entry.decided.store(run, kRelaxed);
      entry.interval.store(interval, kRelaxed);
      entry.trial.store(run + interval, kRelaxed);
    };
    if (entry.interval.load(kRelaxed) == 0) next_trial(kAfterChange);
    // Other programs may have come.
    if (chosen && alone > 0 && together > alone && run < entry.trial.load(kRelaxed) &&
        run - entry.decided.load(kRelaxed) >= kAfterChange)
      entry.trial.store(run, kRelaxed);
    const uint32_t trial = entry.trial.load(kRelaxed);
    if (run < trial) return chosen;
    if (run == trial && !chosen) entry.together.store(0, kRelaxed);
    if (run < trial + (chosen ? kTrialAlone : kTrial)) return !chosen;
    const bool better =
        chosen ? together < alone : together > 0 && together < worth_changing * alone;
    const bool clear = better && together < kClearlyLess * alone;
    const uint32_t interval =
        better == chosen ? (clear ? 8 : 2) * entry.interval.load(kRelaxed) : 0;
    entry.chosen.store(better, kRelaxed);
    entry.in_vain.store(0, kRelaxed);
    next_trial(std::clamp(interval, kAfterChange, clear ? kMostIfClear : kMost));
    return better;
  }

  static void nobody_came(Entry& entry) {
    if (entry.chosen.load(std::memory_order_relaxed)) return;
    if (entry.in_vain.fetch_add(1, std::memory_order_relaxed) < kMostInVain)
      entry.trial.fetch_add(1, std::memory_order_relaxed);
  }

  static double each(double effort, int64_t nanoseconds) {
    return std::max(1.0, static_cast<double>(nanoseconds)) / effort;
  }
  // A thread that had to wait took longer than the work takes, so a longer time counts less.
  static void follow(std::atomic<double>& time, double now) {
    constexpr double kMost = 3;
    const double before = time.load(std::memory_order_relaxed);
    const double next = before == 0    ? now
                        : now < before ? now + (before - now) / 4
                                       : before + (std::min(now, kMost * before) - before) / 4;
    time.store(next, std::memory_order_relaxed);
  }
  // The first runs of a trial have to bring their data from another cache.
  static void tried(std::atomic<double>& time, double now) {
    const double least = time.load(std::memory_order_relaxed);
    if (least == 0 || now < least) time.store(now, std::memory_order_relaxed);
  }
  Entry& entry_of(Key key) {
    Entry& entry = entries_[place(key)];
    if (entry.key.load(std::memory_order_relaxed) != key) {
      entry.work.store(0, std::memory_order_relaxed);
      entry.alone.store(0, std::memory_order_relaxed);
      entry.together.store(0, std::memory_order_relaxed);
      entry.runs.store(0, std::memory_order_relaxed);
      entry.interval.store(0, std::memory_order_relaxed);
      entry.decided.store(0, std::memory_order_relaxed);
      entry.ran_alone.store(false, std::memory_order_relaxed);
      entry.trial.store(0, std::memory_order_relaxed);
      entry.in_vain.store(0, std::memory_order_relaxed);
      entry.chosen.store(true, std::memory_order_relaxed);
      entry.key.store(key, std::memory_order_relaxed);
    }
    return entry;
  }
  static constexpr int kPlaceBits = 10;
  static size_t place(Key key) {
    constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;
    return key * kSpread >> (64 - kPlaceBits);
  }
  std::array<Entry, size_t{1} << kPlaceBits> entries_;
};

}  // namespace skald::runtime
