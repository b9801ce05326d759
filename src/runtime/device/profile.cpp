// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/profile.h"

#include <algorithm>

namespace skald::runtime {

std::string_view event_kind_name(EventKind kind) {
  constexpr std::string_view kNames[] = {"launch",    "to_device", "from_device",
                                         "on_device", "allocate",  "compile"};
  return kNames[static_cast<size_t>(kind)];
}

void Profile::set(bool on) {
  const std::lock_guard lock(mutex_);
  events_.clear();
  began_ = std::chrono::steady_clock::now();
  on_ = on;
}

int64_t Profile::now() const {
  if (!on()) return 0;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                              began_)
      .count();
}

void Profile::add(Recorded recorded) {
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(recorded));
}

void Profile::add_host_event(EventKind kind, std::string_view name, int64_t bytes, int64_t start) {
  if (!on()) return;
  add({{kind, std::string(name), bytes, start, now() - start}});
}

void Profile::add_command(EventKind kind, std::string_view name, int64_t bytes, int64_t given,
                          DeviceEvent event) {
  if (!on()) return;
  add({{kind, std::string(name), bytes, given, now() - given}, event});
}

std::vector<ProfileEvent> Profile::take(DeviceDriver& driver) {
  std::vector<Recorded> recorded;
  {
    const std::lock_guard lock(mutex_);
    recorded.swap(events_);
  }
  std::vector<ProfileEvent> events;
  for (Recorded& r : recorded) {
    if (r.pending != nullptr) {
      const CommandTimes times = driver.times(r.pending);
      r.event.start_ns += times.waited_ns;
      r.event.duration_ns = times.duration_ns;
    }
    events.push_back(std::move(r.event));
  }
  std::ranges::stable_sort(events, {}, &ProfileEvent::start_ns);
  return events;
}

}  // namespace skald::runtime
