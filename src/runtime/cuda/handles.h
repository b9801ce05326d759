// SPDX-License-Identifier: Apache-2.0
// What the handles of the CUDA driver point to.
#pragma once

#include <memory>
#include <string>

#include "runtime/cuda/api.h"
#include "runtime/device/driver.h"

namespace skald::runtime::cuda {

// DeviceMemory is an address.
inline Address address(DeviceMemory memory, int64_t offset = 0) {
  return reinterpret_cast<Address>(memory) + static_cast<Address>(offset);
}
inline size_t size_of(int64_t n) {
  return static_cast<size_t>(n);
}

// DeviceEvent.
struct Timing {
  Event start = nullptr, end = nullptr;
};

// DeviceKernel; the module goes with the last kernel in it.
struct LoadedKernel {
  std::shared_ptr<ModuleObject> module;
  std::shared_ptr<const std::string> cubin;
  Function function = nullptr;
  // So many bytes of shared memory need not be asked for.  At first none: 48 KiB are allowed to all
  // kernels, but what they have of constant size counts, too.
  int64_t shared_allowed = 0;
};

}  // namespace skald::runtime::cuda
