// SPDX-License-Identifier: Apache-2.0
#include "support/machine.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

namespace skald {

namespace {

std::optional<std::string> read(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::optional<int64_t> number(const std::string& text) {
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  if (end == text.c_str()) return std::nullopt;
  return value;
}

std::optional<int64_t> read_number(const std::string& path) {
  const std::optional<std::string> text = read(path);
  return text ? number(*text) : std::nullopt;
}

// The number behind a word at the beginning of a line.
std::optional<int64_t> number_after(const std::string& text, std::string_view word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(word)) return number(line.substr(word.size()));
  return std::nullopt;
}

void lower(std::optional<int64_t>& least, std::optional<int64_t> other) {
  if (other && (!least || *other < *least)) least = other;
}

// The folders of the control groups that this process is in, its own and those around it, for one
// controller of version 1 or, if it has no name, for version 2.  A container may see its own group
// as the root, whatever name the kernel gives it, so the root is always among them.
std::vector<std::string> group_folders(const std::string& root, const std::string& controller) {
  const std::string mounted =
      root + "/sys/fs/cgroup" + (controller.empty() ? "" : "/" + controller);
  std::vector<std::string> folders = {mounted};
  std::istringstream lines(read(root + "/proc/self/cgroup").value_or(""));
  // number:controllers:path
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers.find("," + controller + ",") == std::string::npos) continue;
    for (std::string path = line.substr(second + 1); path.size() > 1;
         path.erase(path.find_last_of('/')))
      folders.push_back(mounted + path);
  }
  return folders;
}

// What is left of a limit.  Pages of files that nobody has used lately count as free.
std::optional<int64_t> left_over(const std::string& folder, const char* limit, const char* used,
                                 std::string_view files) {
  const std::optional<int64_t> most = read_number(folder + limit);
  const std::optional<int64_t> now = read_number(folder + used);
  if (!most || !now) return std::nullopt;
  const std::string statistics = read(folder + "/memory.stat").value_or("");
  const int64_t in_use = *now - std::min(*now, number_after(statistics, files).value_or(0));
  return std::max<int64_t>(0, *most - in_use);
}

int64_t rounded_up(int64_t quota, int64_t period) {
  return std::max<int64_t>(1, (quota + period - 1) / period);
}

}  // namespace

int usable_cores() {
  cpu_set_t cores;
  const int allowed = sched_getaffinity(0, sizeof cores, &cores) == 0
                          ? CPU_COUNT(&cores)
                          : static_cast<int>(std::thread::hardware_concurrency());
  // What a container grants stays as it is; asking reads files.
  static const std::optional<int> kGranted = granted_cores();
  return std::max(1, std::min(allowed, kGranted.value_or(allowed)));
}

std::optional<int64_t> available_memory(const std::string& root) {
  std::optional<int64_t> least;
  if (const auto info = read(root + "/proc/meminfo"))
    if (const auto kilobytes = number_after(*info, "MemAvailable:")) least = *kilobytes * 1024;
  for (const std::string& group : group_folders(root, ""))
    lower(least, left_over(group, "/memory.max", "/memory.current", "inactive_file "));
  for (const std::string& group : group_folders(root, "memory"))
    lower(least, left_over(group, "/memory.limit_in_bytes", "/memory.usage_in_bytes",
                           "total_inactive_file "));
  return least;
}

bool may_allocate(int64_t bytes) {
  constexpr int64_t kCheckedBytes = int64_t{1} << 30;
  if (bytes < kCheckedBytes) return true;
  const std::optional<int64_t> available = available_memory();
  return !available || bytes <= *available;
}

std::optional<int> granted_cores(const std::string& root) {
  std::optional<int64_t> least;
  for (const std::string& group : group_folders(root, "")) {
    // "200000 100000", or "max 100000"
    std::istringstream text(read(group + "/cpu.max").value_or(""));
    if (int64_t quota = 0, period = 0; text >> quota >> period && quota > 0 && period > 0)
      lower(least, rounded_up(quota, period));
  }
  for (const std::string& group : group_folders(root, "cpu")) {
    const int64_t quota = read_number(group + "/cpu.cfs_quota_us").value_or(-1);
    const int64_t period = read_number(group + "/cpu.cfs_period_us").value_or(0);
    if (quota > 0 && period > 0) lower(least, rounded_up(quota, period));
  }
  if (!least) return std::nullopt;
  return static_cast<int>(std::min<int64_t>(*least, 1 << 20));
}

}  // namespace skald
