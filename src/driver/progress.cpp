// SPDX-License-Identifier: Apache-2.0
#include "driver/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace skald::driver {

namespace {

constexpr std::chrono::milliseconds kFirst{1000}, kBetween{100};
// Looking at the clock costs more than most of what happens between two calls.
constexpr uint32_t kCallsPerLook = 64;
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine()
    : terminal_(::isatty(STDERR_FILENO) != 0), next_(Clock::now() + kFirst) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs(kClearLine, stderr);
}

source::Progress ProgressLine::callback() {
  if (!terminal_) return {};
  return [this](std::string_view doing, uint64_t done, uint64_t all) { show(doing, done, all); };
}

void ProgressLine::show(std::string_view doing, uint64_t done, uint64_t all) {
  if (++calls_ % kCallsPerLook != 0 || all == 0) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  shown_ = true;
  fmt::print(stderr, "{}{}: {} %", kClearLine, doing, done * 100 / all);
  std::fflush(stderr);
}

}  // namespace skald::driver
