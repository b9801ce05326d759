// SPDX-License-Identifier: Apache-2.0
// Devices by OpenCL.
//
// The first GPU is taken, otherwise the first device of any kind; $SKALD_OPENCL_DEVICE chooses
// another by a part of the name of its platform or its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/device/device.h"
#include "support/result.h"

namespace skald::runtime {

// Is there a device?  Its name, or the reason if not.  `wanted` is a part of the name of the one
// to take; empty: as above.
Result<std::string> find_opencl_device(std::string_view wanted = {});
// What the drivers say of all devices, without opening any.
Result<std::vector<DeviceFacts>> list_opencl_devices();
Result<std::unique_ptr<Device>> open_opencl_device(std::string_view wanted = {});

}  // namespace skald::runtime
