// SPDX-License-Identifier: Apache-2.0
#include "machine/processor.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <unordered_set>

#include "support/machine.h"

namespace skald::machine {

namespace {

#if defined(__aarch64__)
constexpr const char* kArchitecture = "arm64";
#elif defined(__x86_64__)
constexpr const char* kArchitecture = "x86-64";
#else
constexpr const char* kArchitecture = "unknown";
#endif

// What /proc/cpuinfo says of the first core: "model name" → "Intel…".
using CpuInfo = std::map<std::string, std::string, std::less<>>;

CpuInfo read_cpu_info(const std::string& root) {
  CpuInfo info;
  std::ifstream file(root + "/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const size_t key_end = line.find_last_not_of(" \t", colon - 1);
    const size_t value = line.find_first_not_of(" \t", colon + 1);
    if (colon == 0 || key_end == std::string::npos || value == std::string::npos) continue;
    info.emplace(line.substr(0, key_end + 1), line.substr(value));
  }
  return info;
}

std::string value_of(const CpuInfo& info, std::string_view key) {
  const auto found = info.find(key);
  return found == info.end() ? std::string() : found->second;
}

// The kernel of arm64 gives numbers instead of names.  Those that are found in servers.
struct ArmCore {
  long implementer, part;
  const char* name;
};
constexpr ArmCore kArmCores[] = {
    {0x41, 0xd08, "Cortex-A72"},  {0x41, 0xd0b, "Cortex-A76"},  {0x41, 0xd0c, "Neoverse N1"},
    {0x41, 0xd40, "Neoverse V1"}, {0x41, 0xd49, "Neoverse N2"}, {0x41, 0xd4f, "Neoverse V2"},
    {0x41, 0xd84, "Neoverse V3"}, {0x41, 0xd8e, "Neoverse N3"}, {0xc0, 0xac3, "Ampere One"},
};

std::string name_of(const CpuInfo& info) {
  if (const std::string model = value_of(info, "model name"); !model.empty()) return model;
  const std::string implementer = value_of(info, "CPU implementer"),
                    part = value_of(info, "CPU part");
  if (implementer.empty() || part.empty()) return "unknown";
  for (const ArmCore& core : kArmCores)
    if (core.implementer == std::strtol(implementer.c_str(), nullptr, 16) &&
        core.part == std::strtol(part.c_str(), nullptr, 16))
      return core.name;
  return "arm64 core " + implementer + ", " + part;
}

// By the names that LLVM has for them: the kernel's without underscores.
std::unordered_set<std::string> features_of(const CpuInfo& info) {
  std::unordered_set<std::string> features;
  std::istringstream words(value_of(info, "flags"));
  for (std::string word; words >> word;) {
    std::erase(word, '_');
    features.insert(word);
  }
  return features;
}

}  // namespace

Processor find_processor(const std::string& root) {
  const CpuInfo info = read_cpu_info(root);
  Processor found{.name = name_of(info), .architecture = kArchitecture};
  found.cores = usable_cores();
  found.caches = find_caches(root);
  if (const std::unordered_set<std::string> features = features_of(info); !features.empty())
    found.registers = x86_registers(
        [&](std::string_view name) { return features.contains(std::string(name)); }, Avx512::kUsed);
  else
    found.registers = arm64_registers();
  return found;
}

const Processor& this_processor() {
  static const Processor kProcessor = find_processor();
  return kProcessor;
}

}  // namespace skald::machine
