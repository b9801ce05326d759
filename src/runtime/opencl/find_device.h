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

// The first GPU, or the first device, of those with `wanted` in their name; if that is empty,
// $SKALD_OPENCL_DEVICE says what is wanted.
Result<FoundDevice> find_device(const Api& api, std::string_view wanted);
std::string device_text(const Api& api, DeviceId device, Uint what);
uint64_t device_number(const Api& api, DeviceId device, Uint what);

}  // namespace skald::runtime::cl
