// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/find_device.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "runtime/cuda/nvrtc.h"

namespace skald::runtime::cuda {

namespace {

int attribute(const Api& api, Ordinal device, int what) {
  int number = 0;
  api.device_attribute(&number, what, device);
  return number;
}

}  // namespace

std::vector<FoundDevice> list_devices(const Api& api) {
  int count = 0;
  api.device_count(&count);
  std::vector<FoundDevice> all;
  for (Ordinal device = 0; device < count; ++device) {
    std::array<char, 256> name{};
    api.device_name(name.data(), static_cast<int>(name.size()) - 1, device);
    all.push_back({device, name.data()});
  }
  return all;
}

Result<FoundDevice> find_device(const Api& api, std::string_view wanted) {
  const char* chosen = std::getenv("SKALD_CUDA_DEVICE");
  if (wanted.empty() && chosen != nullptr) wanted = chosen;
  const std::vector<FoundDevice> all = list_devices(api);
  if (all.empty()) return Failure("the CUDA driver of this machine has no device");
  std::string names;
  for (const FoundDevice& each : all) {
    if (each.name.find(wanted) != std::string::npos || wanted == std::to_string(each.device))
      return each;
    names += fmt::format("{}{}: {}", names.empty() ? "" : ", ", each.device, each.name);
  }
  return Failure(
      fmt::format("no CUDA device has the number or the name `{}`; there are {}", wanted, names));
}

int architecture_of(const Api& api, Ordinal device) {
  return 10 * attribute(api, device, kMajor) + attribute(api, device, kMinor);
}

// The driver sets memory aside for all threads that can run at once: only a small part of all.
static int64_t own_heap(const DeviceFacts& facts) {
  constexpr int64_t kMost = 16384, kLeast = 2048, kThreadsOfUnit = 2048, kPart = 16;
  for (int64_t bytes = kMost; bytes >= kLeast; bytes /= 2)
    if (facts.compute_units * kThreadsOfUnit * bytes <= facts.memory / kPart) return bytes;
  return 0;
}

DeviceFacts facts_of(const Api& api, const FoundDevice& found) {
  size_t memory = 0;
  int version = 0;
  api.device_memory(&memory, found.device);
  api.driver_version(&version);
  const auto number = [&](int what) { return int64_t{attribute(api, found.device, what)}; };
  const Result<std::string> compiler = find_nvrtc();
  DeviceFacts facts;
  facts.name = found.name;
  facts.driver = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  facts.identity =
      fmt::format("cuda\n{}\nsm_{}\n{}\n{}", found.name, architecture_of(api, found.device),
                  version, compiler ? *compiler : std::string());
  facts.is_gpu = true;
  facts.memory = static_cast<int64_t>(memory);
  facts.local_memory = number(kMostSharedBytes);
  facts.cache = number(kCacheBytes);
  facts.group_threads = number(kMostThreads);
  facts.compute_units = number(kMultiprocessors);
  facts.clock_mhz = number(kClockKhz) / 1000;
  facts.warp = number(kWarp);
  facts.own_heap = own_heap(facts);
  facts.adds_floats = true;
  return facts;
}

}  // namespace skald::runtime::cuda
