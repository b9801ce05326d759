// SPDX-License-Identifier: Apache-2.0
#include "runtime/opencl/find_device.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <vector>

namespace skald::runtime::cl {

std::string device_text(const Api& api, DeviceId device, Uint what) {
  size_t size = 0;
  if (api.get_device_info(device, what, 0, nullptr, &size) != kSuccess || size == 0) return {};
  std::string text(size, '\0');
  api.get_device_info(device, what, size, text.data(), nullptr);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

uint64_t device_number(const Api& api, DeviceId device, Uint what) {
  uint64_t number = 0;
  api.get_device_info(device, what, sizeof number, &number, nullptr);
  return number;
}

Result<FoundDevice> find_device(const Api& api, std::string_view wanted) {
  const char* chosen = std::getenv("SKALD_OPENCL_DEVICE");
  if (wanted.empty() && chosen != nullptr) wanted = chosen;
  Uint count = 0;
  if (api.get_platform_ids(0, nullptr, &count) != kSuccess || count == 0)
    return Failure(
        "there is no OpenCL platform on this machine; install a driver, for example "
        "pocl-opencl-icd");
  std::vector<Platform> platforms(count);
  api.get_platform_ids(count, platforms.data(), nullptr);
  // First the GPUs of all platforms, then whatever there is.
  for (const Bitfield type : {kDeviceTypeGpu, kDeviceTypeAll}) {
    for (const Platform platform : platforms) {
      std::array<char, 256> platform_name{};
      api.get_platform_info(platform, kPlatformName, platform_name.size() - 1, platform_name.data(),
                            nullptr);
      Uint devices = 0;
      if (api.get_device_ids(platform, type, 0, nullptr, &devices) != kSuccess) continue;
      std::vector<DeviceId> ids(devices);
      api.get_device_ids(platform, type, devices, ids.data(), nullptr);
      for (const DeviceId id : ids) {
        const std::string name =
            fmt::format("{}: {}", platform_name.data(), device_text(api, id, kDeviceName));
        if (name.find(wanted) != std::string::npos) return FoundDevice{id, name};
      }
    }
  }
  if (!wanted.empty())
    return Failure(
        fmt::format("no OpenCL device has `{}` in its name ($SKALD_OPENCL_DEVICE)", wanted));
  return Failure("the OpenCL platforms of this machine have no device");
}

}  // namespace skald::runtime::cl
