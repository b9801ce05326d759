// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "runtime/cuda/api.h"

namespace skald::runtime::cuda {

struct FoundDevice {
  Ordinal device;
  std::string name;
};

// See cuda_device.h.
Result<FoundDevice> find_device(const Api& api, std::string_view wanted);

}  // namespace skald::runtime::cuda
