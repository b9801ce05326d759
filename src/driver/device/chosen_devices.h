// SPDX-License-Identifier: Apache-2.0
// What `skald device NAME` is about: the processor, devices, or both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/machine/known_machine.h"

namespace skald::driver {

struct ChosenDevices {
  std::optional<machine::Processor> processor = {};
  std::vector<compile::KnownDevice> devices = {};
  std::vector<std::string> problems = {};  // by back end: why it has no device
};

// `wanted` is a back end (`cpu`, `opencl`, `cuda`), a part of a name, whatever its case, or both,
// as in `cuda:h200`; nothing: all there is.
Result<ChosenDevices> choose_devices(const std::string& wanted, machine::Processor processor,
                                     compile::KnownDevices known);

// Measuring takes time and is kept by name: `wanted` should name one.  Devices of a back end that
// have the same name are one; the others of them are left out.
Result<Unit> choose_one(const std::string& wanted, ChosenDevices& chosen);

}  // namespace skald::driver
