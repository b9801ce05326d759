// SPDX-License-Identifier: Apache-2.0
// A line on the terminal that says how far a long step is.
#pragma once

#include <chrono>
#include <string_view>

#include "source/progress.h"

namespace skald::driver {

// Appears after a second, is overwritten a few times each second, and vanishes in the end.  If
// stderr is no terminal, there is none.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Empty if there is no terminal.  May be called as long as the line lives.
  source::Progress callback();

 private:
  using Clock = std::chrono::steady_clock;
  void show(std::string_view doing, uint64_t done, uint64_t all);

  bool terminal_;
  bool shown_ = false;
  uint32_t calls_ = 0;
  Clock::time_point next_;
};

}  // namespace skald::driver
