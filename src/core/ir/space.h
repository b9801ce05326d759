// SPDX-License-Identifier: Apache-2.0
// Where values live, and where kernels run.
//
// Up to stage SOACS everything is in one space.  For a target whose kernels have a memory of their
// own, the pass `place` gives every array and every kernel its space; an array that is needed in
// another one is copied there by a statement.
#pragma once

#include <cstdint>
#include <string>

namespace skald::core {

// The host, or device number k.
enum class Space : uint8_t { kHost = 0, kDevice0 = 1 };

constexpr Space device_space(int number) {
  return static_cast<Space>(number + 1);
}
// Only of a device.
constexpr int device_number(Space space) {
  return static_cast<int>(space) - 1;
}
// "the host", "device 0", …
inline std::string space_name(Space space) {
  return space == Space::kHost ? "the host" : "device " + std::to_string(device_number(space));
}
// Programs have no more devices than this.
inline constexpr int kMaxDevices = 64;

}  // namespace skald::core
