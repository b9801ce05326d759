// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/find_device.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

namespace skald::runtime::cuda {

Result<FoundDevice> find_device(const Api& api, std::string_view wanted) {
  const char* chosen = std::getenv("SKALD_CUDA_DEVICE");
  if (wanted.empty() && chosen != nullptr) wanted = chosen;
  int count = 0;
  api.device_count(&count);
  if (count == 0) return Failure("the CUDA driver of this machine has no device");
  std::string all;
  for (Ordinal device = 0; device < count; ++device) {
    std::array<char, 256> name{};
    api.device_name(name.data(), static_cast<int>(name.size()) - 1, device);
    const std::string_view text = name.data();
    if (text.find(wanted) != std::string_view::npos || wanted == std::to_string(device))
      return FoundDevice{device, std::string(text)};
    all += fmt::format("{}{}: {}", all.empty() ? "" : ", ", device, text);
  }
  return Failure(
      fmt::format("no CUDA device has the number or the name `{}`; there are {}", wanted, all));
}

}  // namespace skald::runtime::cuda
