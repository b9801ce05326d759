// SPDX-License-Identifier: Apache-2.0
// The numbers of the cost model that `--param` chooses and `skald dump --params` lists.
#include <algorithm>

#include "passes/pass.h"

namespace skald::passes {

const std::vector<DeviceNumber>& device_numbers() {
  static const std::vector<DeviceNumber> kNumbers = {
      {"differentiate.tape_memory", &Device::tape_memory},
      {"early.memory", &Device::early_memory},
      {"flatten.barrier_ns", &Device::barrier_ns, true},
      {"flatten.bytes_per_us", &Device::bytes_per_us, true},
      {"flatten.element_ns", &Device::element_ns, true},
      {"flatten.far_element_ns", &Device::far_element_ns, true},
      {"flatten.large_array", &Device::large_array},
      {"flatten.large_rows", &Device::large_rows},
      {"flatten.launch_ns", &Device::launch_ns, true},
      {"flatten.nest_statements", &Device::nest_statements},
      {"flatten.version_kernels", &Device::version_kernels},
      {"fusion.group_memory", &Device::group_memory, true},
      {"fusion.registers", &Device::registers},
      {"fusion.sinks", &Device::fused_sinks},
      {"fusion.statements", &Device::fused_statements},
      {"lift.depth", &Device::lift_depth},
      {"lift.statements", &Device::lifted_statements},
      // The default of all thresholds of that name.
      {"suff_outer_par", &Device::parallelism},
  };
  return kNumbers;
}

// 0 stands for "as it is", as in tuning files.
void choose_numbers(Device& device, const std::map<std::string, int64_t, std::less<>>& chosen) {
  constexpr int64_t kMost = int64_t{1} << 40;
  const int64_t before = device.parallelism;
  for (const DeviceNumber& each : device_numbers())
    if (const auto found = chosen.find(each.name); found != chosen.end() && found->second != 0)
      device.*each.number = std::min(found->second, kMost);
  // Whoever chooses a threshold means all of them, and that they count.
  if (device.parallelism != before) {
    device.half_busy = device.parallelism;
    device.launch_ns = 0;
  }
}

}  // namespace skald::passes
