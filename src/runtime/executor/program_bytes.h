// SPDX-License-Identifier: Apache-2.0
// Device programs as bytes, for caches.
#pragma once

#include <string>
#include <string_view>

#include "runtime/executor/bytecode.h"
#include "support/result.h"

namespace skald::runtime {

std::string to_bytes(const DeviceProgram& program);
// Fails for bytes that another version wrote, or that are no program which can be run (check.h).
Result<DeviceProgram> device_program_from_bytes(std::string_view bytes);

}  // namespace skald::runtime
