// SPDX-License-Identifier: Apache-2.0
#include "runtime/opencl/find_device.h"

#include <fmt/format.h>

#include <algorithm>
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

Result<std::vector<FoundDevice>> list_devices(const Api& api) {
  Uint count = 0;
  if (api.get_platform_ids(0, nullptr, &count) != kSuccess || count == 0)
    return Failure(
        "there is no OpenCL platform on this machine; install a driver, for example "
        "pocl-opencl-icd");
  std::vector<Platform> platforms(count);
  api.get_platform_ids(count, platforms.data(), nullptr);
  std::vector<FoundDevice> found;
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
      for (const DeviceId id : ids)
        if (std::ranges::find(found, id, &FoundDevice::device) == found.end())
          found.push_back(
              {id, fmt::format("{}: {}", platform_name.data(), device_text(api, id, kDeviceName))});
    }
  }
  if (found.empty()) return Failure("the OpenCL platforms of this machine have no device");
  return found;
}

Result<FoundDevice> find_device(const Api& api, std::string_view wanted) {
  const char* chosen = std::getenv("SKALD_OPENCL_DEVICE");
  if (wanted.empty() && chosen != nullptr) wanted = chosen;
  Result<std::vector<FoundDevice>> all = list_devices(api);
  if (!all) return all.failure();
  for (FoundDevice& each : *all)
    if (each.name.find(wanted) != std::string::npos) return std::move(each);
  return Failure(
      fmt::format("no OpenCL device has `{}` in its name ($SKALD_OPENCL_DEVICE)", wanted));
}

std::string compiler_options(const Api& api, DeviceId device) {
  std::string options = "-cl-std=CL1.2 -w";
  if (device_number(api, device, kDeviceDoubleFpConfig) != 0) options += " -DSKALD_F64";
  if ((device_number(api, device, kDeviceType) & kDeviceTypeGpu) == 0)
    options += " -DSKALD_PROCESSOR";
  if ((device_number(api, device, kDeviceSingleFpConfig) & kFpCorrectlyRoundedDivideSqrt) != 0)
    options += " -cl-fp32-correctly-rounded-divide-sqrt";
  return options;
}

// Bytes of a group's memory that shuffles go through (codegen/opencl/dialect.cpp: SK_SHUFFLE_ROOM);
// kernels that shuffle have at most 1024 threads.
static int64_t shuffle_room(int64_t group_threads) {
  return std::min<int64_t>(group_threads, 1024) * 8;
}

DeviceFacts facts_of(const Api& api, const FoundDevice& found) {
  const DeviceId device = found.device;
  const auto number = [&](Uint what) {
    return static_cast<int64_t>(device_number(api, device, what));
  };
  const std::string version = device_text(api, device, kDeviceVersion);
  DeviceFacts facts{.name = found.name, .identity = {}};
  facts.driver = device_text(api, device, kDeviceDriverVersion);
  facts.is_gpu = (device_number(api, device, kDeviceType) & kDeviceTypeGpu) != 0;
  facts.memory = number(kDeviceGlobalMemSize);
  facts.group_threads = number(kDeviceMaxWorkGroupSize);
  facts.local_memory = number(kDeviceLocalMemSize) - shuffle_room(facts.group_threads);
  facts.cache = number(kDeviceGlobalMemCacheSize);
  facts.compute_units = number(kDeviceMaxComputeUnits);
  facts.clock_mhz = number(kDeviceMaxClockFrequency);
  // Other drivers do not know the questions, and leave the number as it is.
  facts.warp = number(kDeviceWarpSizeNv);
  if (facts.warp == 0) facts.warp = number(kDeviceWavefrontWidthAmd);
  facts.has_f64 = number(kDeviceDoubleFpConfig) != 0;
  // PoCL compiles a kernel when it is launched, and keeps that; asked for a program's binary it
  // would compile it once more.
  facts.keeps_kernels = version.find("PoCL HSTR") != std::string::npos ||
                        version.find("pocl HSTR") != std::string::npos;
  facts.compiles_together = facts.keeps_kernels;
  facts.identity = fmt::format("opencl\n{}\n{}\n{}\n{}", device_text(api, device, kDeviceName),
                               version, facts.driver, compiler_options(api, device));
  return facts;
}

}  // namespace skald::runtime::cl
