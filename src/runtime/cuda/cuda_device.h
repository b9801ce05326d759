// SPDX-License-Identifier: Apache-2.0
// Devices by CUDA.
//
// The first one is taken; $SKALD_CUDA_DEVICE chooses another by its number or a part of its name.
#pragma once

#include <memory>
#include <string>

#include "runtime/device/device.h"
#include "support/result.h"

namespace skald::runtime {

// Is there a device, and a compiler for it?  Its name, or the reason if not.
Result<std::string> find_cuda_device(std::string_view wanted = {});
// 90 for a device of compute capability 9.0.
Result<int> cuda_architecture(std::string_view wanted = {});
Result<std::vector<DeviceFacts>> list_cuda_devices();
Result<std::unique_ptr<Device>> open_cuda_device(std::string_view wanted = {});

}  // namespace skald::runtime
