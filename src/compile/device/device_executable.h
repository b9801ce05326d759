// SPDX-License-Identifier: Apache-2.0
// A program on a device, and its image: bytecode, kernels as text, messages and places.
#pragma once

#include <string>
#include <string_view>

#include "codegen/clike/device_program.h"
#include "compile/backend/backend.h"
#include "runtime/device/device.h"

namespace skald::compile {

struct DeviceImage {
  clike::CompiledProgram code;
  std::string places;  // place_bytes
  std::vector<core::TuningParam> params;
};

std::string to_bytes(const DeviceImage& image);
Result<DeviceImage> device_image_from_bytes(std::string_view bytes);

// What runs need; all of it must outlive the executable.
struct DeviceHost {
  Engine& engine;
  runtime::Device& device;
  runtime::Watchdog& dog;
  const Limits& limits;
  bool graphs = true;  // launches may be collected (--disable=graphs)
};

// Its image is kept if `keep_image`.
Result<std::unique_ptr<Executable>> make_device_executable(DeviceImage image,
                                                           const DeviceHost& host, bool keep_image);

}  // namespace skald::compile
