// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "runtime/cuda/api.h"
#include "runtime/device/driver.h"

namespace skald::runtime::cuda {

struct FoundDevice {
  Ordinal device;
  std::string name;
};

std::vector<FoundDevice> list_devices(const Api& api);
// See cuda_device.h.
Result<FoundDevice> find_device(const Api& api, std::string_view wanted);
// 90 for compute capability 9.0.
int architecture_of(const Api& api, Ordinal device);
DeviceFacts facts_of(const Api& api, const FoundDevice& found);

}  // namespace skald::runtime::cuda
