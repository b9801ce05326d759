// SPDX-License-Identifier: Apache-2.0
// What happened on an engine, for those who look for time.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace skald::compile {

struct Event {
  // As skald_event_kind in skald.h.
  enum Kind : uint8_t { kCall, kKernel, kToDevice, kFromDevice, kOnDevice, kCompile } kind = kCall;
  std::string name = {};
  int64_t bytes = 0;
  std::chrono::steady_clock::time_point start = {};
  int64_t nanoseconds = 0;
};

// Events from several threads, in the order in which they ended.
class EventLog {
 public:
  explicit EventLog(bool enabled) : enabled_(enabled) {}

  bool enabled() const { return enabled_; }
  void add(Event event) {
    if (!enabled_) return;
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  std::vector<Event> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(events_, {});
  }

 private:
  const bool enabled_;
  std::mutex mutex_;
  std::vector<Event> events_;
};

// Adds an event that lasts as long as this lives.
class TimedEvent {
 public:
  TimedEvent(EventLog& log, Event::Kind kind, std::string_view name, int64_t bytes = 0)
      : log_(log), kind_(kind), name_(name), bytes_(bytes) {}
  TimedEvent(const TimedEvent&) = delete;
  TimedEvent& operator=(const TimedEvent&) = delete;
  ~TimedEvent() {
    if (!log_.enabled()) return;
    const auto took = std::chrono::steady_clock::now() - start_;
    log_.add({kind_, std::string(name_), bytes_, start_,
              std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()});
  }

 private:
  EventLog& log_;
  Event::Kind kind_;
  std::string_view name_;
  int64_t bytes_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace skald::compile
