// SPDX-License-Identifier: Apache-2.0
// The machine and its devices, with what was measured before: that is kept in the folder of
// compiled code (runtime/disk_cache.h), by name and version of what was measured.
#pragma once

#include <string>
#include <vector>

#include "compile/backend/backend.h"
#include "machine/device_model.h"
#include "machine/processor.h"

namespace skald::compile {

machine::Processor known_processor();
// Measures anew, and keeps that.
Result<machine::Processor> measured_processor();

// A device, and who runs programs on it.
struct KnownDevice {
  const Backend* backend;
  machine::DeviceModel model;
};

struct KnownDevices {
  std::vector<KnownDevice> devices = {};
  // By back end: why it has none.
  std::vector<std::string> problems = {};
};

// Of all back ends that have devices.
KnownDevices known_devices();
// Measures anew, and keeps that.
Result<machine::DeviceModel> measured_device(const KnownDevice& device);

}  // namespace skald::compile
