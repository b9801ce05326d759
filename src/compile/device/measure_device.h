// SPDX-License-Identifier: Apache-2.0
// What drivers say of their devices, and what only trying tells.
#pragma once

#include <string>
#include <vector>

#include "machine/device_model.h"
#include "runtime/device/driver.h"
#include "support/result.h"

namespace skald::compile {

machine::DeviceModel device_model(const runtime::DeviceFacts& facts, std::string_view backend);
Result<std::vector<machine::DeviceModel>> device_models(
    const Result<std::vector<runtime::DeviceFacts>>& all, std::string_view backend);

// A kernel that does nothing, in the device's language.
struct EmptyKernel {
  std::string name, text;
};

// Takes about half a second.
Result<machine::DeviceTimes> measure_device(runtime::DeviceDriver& driver,
                                            const EmptyKernel& kernel);

}  // namespace skald::compile
