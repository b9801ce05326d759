// SPDX-License-Identifier: Apache-2.0
// Which device of which platform, and what it says of itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device/driver.h"
#include "runtime/opencl/api.h"
#include "support/result.h"

namespace skald::runtime::cl {

struct FoundDevice {
  DeviceId device;
  std::string name;  // platform and device
};

// Those of all platforms, the GPUs first.  Fails, with a reason, if there are none.
Result<std::vector<FoundDevice>> list_devices(const Api& api);
// The first GPU, or the first device, of those with `wanted` in their name; if that is empty,
// $SKALD_OPENCL_DEVICE says what is wanted.
Result<FoundDevice> find_device(const Api& api, std::string_view wanted);
DeviceFacts facts_of(const Api& api, const FoundDevice& found);
// For its compiler.
std::string compiler_options(const Api& api, DeviceId device);
std::string device_text(const Api& api, DeviceId device, Uint what);
uint64_t device_number(const Api& api, DeviceId device, Uint what);

}  // namespace skald::runtime::cl
