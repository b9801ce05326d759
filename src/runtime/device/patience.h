// SPDX-License-Identifier: Apache-2.0
// Waiting for a device while somebody may want to stop.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace skald::runtime {

// How long a device may go on after somebody said stop, before it is given up.
inline constexpr std::chrono::milliseconds kGrace{500};

// Asks until `is_done()`: all the time at first, later less often.  False: `stop` is not 0, and the
// device did not end for a while after that.
template <class IsDone>
bool wait_with_patience(const std::atomic<int32_t>& stop, const IsDone& is_done) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kBusy{2000}, kLongest{1000};
  constexpr int kShare = 128;  // what sleeping may add to the time
  const Clock::time_point began = Clock::now();
  Clock::time_point stopped = {};
  for (;;) {
    if (is_done()) return true;
    const Clock::time_point now = Clock::now();
    if (stop.load(std::memory_order_relaxed) != 0) {
      if (stopped == Clock::time_point{}) stopped = now;
      if (now - stopped > kGrace) return false;
    }
    const Clock::duration waited = now - began;
    if (waited > kBusy)
      std::this_thread::sleep_for(std::min<Clock::duration>(waited / kShare, kLongest));
  }
}

}  // namespace skald::runtime
