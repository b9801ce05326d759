// SPDX-License-Identifier: Apache-2.0
// Which device of which platform, and what it says of itself.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/opencl/api.h"
#include "support/result.h"

namespace skald::runtime::cl {

struct FoundDevice {
  DeviceId device;
  std::string name;  // platform and device
};

// By $SKALD_OPENCL_DEVICE, or the first GPU, or the first device.
Result<FoundDevice> find_device(const Api& api);
std::string device_text(const Api& api, DeviceId device, Uint what);
uint64_t device_number(const Api& api, DeviceId device, Uint what);

}  // namespace skald::runtime::cl
