// SPDX-License-Identifier: Apache-2.0
// A device that runs kernels, as data.  Numbers of 0 are not known.
#pragma once

#include <cstdint>
#include <string>

namespace skald::machine {

// What is found out by trying, if somebody asks for it.
struct DeviceTimes {
  double bandwidth = 0;      // bytes in a second, read and written by a copy on the device
  double launch_us = 0;      // of a kernel that does nothing, among many
  double round_trip_us = 0;  // of one, until the host knows that it is done
  bool operator==(const DeviceTimes&) const = default;
};

struct DeviceModel {
  std::string name;     // platform and device
  std::string backend;  // "opencl"
  std::string driver;   // its version
  // All that measured times depend on.
  std::string identity;
  bool is_gpu = false;
  bool has_f64 = false;
  int64_t compute_units = 0;
  int64_t clock_mhz = 0;
  int64_t warp = 0;           // threads that go together (a wavefront)
  int64_t group_threads = 0;  // at most, in a group
  int64_t memory = 0;
  int64_t group_memory = 0;  // that the threads of a group share
  int64_t l2 = 0;
  DeviceTimes times = {};
};

}  // namespace skald::machine
