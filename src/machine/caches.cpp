// SPDX-License-Identifier: Apache-2.0
#include "machine/caches.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

namespace skald::machine {

namespace {

// The first line of a file; empty if it cannot be read.
std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "64K", "32768K", "1M", "64": what the kernel writes.
std::optional<int64_t> size_of(const std::string& text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || number <= 0 || number > (int64_t{1} << 40)) return std::nullopt;
  if (rest == end) return number;
  switch (*rest) {
    case 'K': return number << 10;
    case 'M': return number << 20;
    case 'G': return number << 30;
    default: return std::nullopt;
  }
}

// How many there are in "0-3,8-11"; 1 if it is something else.
int cores_in(const std::string& list) {
  int count = 0;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    int first = 0, last = 0;
    const char* end = part.data() + part.size();
    const auto [rest, error] = std::from_chars(part.data(), end, first);
    if (error != std::errc()) return 1;
    last = first;
    if (rest != end && *rest == '-') std::from_chars(rest + 1, end, last);
    if (last < first) return 1;
    count += last - first + 1;
  }
  return count > 0 ? count : 1;
}

std::optional<Caches> from_kernel(const std::string& root) {
  Caches caches{.l1d = {}, .l2 = {}, .l3 = {}, .source = CacheSource::kKernel};
  constexpr int kMostCaches = 16;
  for (int k = 0; k < kMostCaches; ++k) {
    const std::string folder =
        root + "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(k) + "/";
    const std::string level = first_line(folder + "level");
    if (level.empty()) break;
    const std::optional<int64_t> bytes = size_of(first_line(folder + "size"));
    if (!bytes || first_line(folder + "type") == "Instruction") continue;
    const Cache cache{*bytes, cores_in(first_line(folder + "shared_cpu_list"))};
    if (level == "1") {
      caches.l1d = cache;
      if (const auto line = size_of(first_line(folder + "coherency_line_size")))
        caches.line = *line;
    } else if (level == "2") {
      caches.l2 = cache;
    } else if (level == "3") {
      caches.l3 = cache;
    }
  }
  if (caches.l1d.bytes == 0 || caches.l2.bytes == 0) return std::nullopt;
  return caches;
}

std::optional<Caches> from_library() {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  const auto ask = [](int name) { return std::max<int64_t>(0, ::sysconf(name)); };
  Caches caches{.l1d = {ask(_SC_LEVEL1_DCACHE_SIZE)},
                .l2 = {ask(_SC_LEVEL2_CACHE_SIZE)},
                .l3 = {ask(_SC_LEVEL3_CACHE_SIZE)},
                .source = CacheSource::kLibrary};
  if (const int64_t line = ask(_SC_LEVEL1_DCACHE_LINESIZE); line > 0) caches.line = line;
  if (caches.l1d.bytes > 0 && caches.l2.bytes > 0) return caches;
#endif
  return std::nullopt;
}

}  // namespace

Caches find_caches(const std::string& root) {
  if (const std::optional<Caches> found = from_kernel(root)) return *found;
  if (!root.empty()) return kPlainCaches;
  return from_library().value_or(kPlainCaches);
}

const Caches& this_machines_caches() {
  static const Caches kCaches = find_caches();
  return kCaches;
}

}  // namespace skald::machine
