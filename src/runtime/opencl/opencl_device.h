// SPDX-License-Identifier: Apache-2.0
// A device by OpenCL.
//
// The first GPU is taken, otherwise the first device of any kind; $SKALD_OPENCL_DEVICE chooses
// another by a part of the name of its platform or its own.
#pragma once

#include <memory>
#include <string>

#include "runtime/executor/bytecode.h"
#include "runtime/executor/device.h"
#include "support/result.h"

namespace skald::runtime {

// Is there a device?  The reason if not.
Result<std::string> find_opencl_device();

// Compiles the kernels of a program for the device, or takes them from the cache on disk
// (runtime/disk_cache.h).
Result<std::unique_ptr<Device>> make_opencl_device(const DeviceProgram& program);

}  // namespace skald::runtime
