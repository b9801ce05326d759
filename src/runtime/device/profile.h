// SPDX-License-Identifier: Apache-2.0
// What a device did and when: plain records of launches, copies, allocations and compilations.
//
// Nothing is recorded until somebody asks for it; then the times of commands are those that the
// device measured.  All times count from the moment when recording began.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/driver.h"

namespace skald::runtime {

enum class EventKind : uint8_t {
  kLaunch,
  kToDevice,
  kFromDevice,
  kOnDevice,  // a copy or a fill
  kAllocate,  // by the driver; what the pool had is free
  kCompile,
};
// "launch", "to_device", …
std::string_view event_kind_name(EventKind kind);

struct ProfileEvent {
  EventKind kind = EventKind::kLaunch;
  std::string name;   // of the kernel
  int64_t bytes = 0;  // copied or allocated
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
};

// May be used from several threads at once.
class Profile {
 public:
  bool on() const { return on_.load(std::memory_order_acquire); }
  // Forgets all events, and begins or ends recording.
  void set(bool on);
  // Nanoseconds since recording began; 0 while it is off.
  int64_t now() const;
  // Something that the host did itself from `start` until now.
  void add_host_event(EventKind kind, std::string_view name, int64_t bytes, int64_t start);
  // A command that was given at `given`; its times are asked for when the events are taken.
  void add_command(EventKind kind, std::string_view name, int64_t bytes, int64_t given,
                   DeviceEvent event);
  // All events since the last call, by their start.  Waits for the commands among them.
  std::vector<ProfileEvent> take(DeviceDriver& driver);

 private:
  struct Recorded {
    ProfileEvent event;
    DeviceEvent pending = nullptr;
  };
  void add(Recorded recorded);

  std::atomic<bool> on_ = false;
  std::chrono::steady_clock::time_point began_;
  std::mutex mutex_;
  std::vector<Recorded> events_;
};

}  // namespace skald::runtime
