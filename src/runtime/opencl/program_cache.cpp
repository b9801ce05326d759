// SPDX-License-Identifier: Apache-2.0
#include "runtime/opencl/program_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace skald::runtime {

namespace {

namespace fs = std::filesystem;

// FNV-1a, from two beginnings.
uint64_t hash(std::string_view text, uint64_t value) {
  for (const char c : text) {
    value ^= static_cast<unsigned char>(c);
    value *= 0x100000001b3u;
  }
  return value;
}

fs::path folder() {
  if (const char* own = std::getenv("SKALD_CACHE_DIR"); own != nullptr && *own != 0) return own;
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg != 0)
    return fs::path(xdg) / "skald";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0)
    return fs::path(home) / ".cache" / "skald";
  return {};
}

std::string checksum(std::string_view bytes) {
  return fmt::format("{:016x}\n", hash(bytes, 0x9e3779b97f4a7c15u));
}

}  // namespace

std::string cache_name(std::string_view key) {
  return fmt::format("{:016x}{:016x}.clbin", hash(key, 0xcbf29ce484222325u),
                     hash(key, 0x84222325cbf29ce4u));
}

std::optional<std::string> read_cache(const std::string& name) {
  const fs::path base = folder();
  if (base.empty()) return std::nullopt;
  std::ifstream file(base / name, std::ios::binary);
  if (!file) return std::nullopt;
  std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  constexpr size_t kChecksum = 17;
  if (all.size() < kChecksum) return std::nullopt;
  std::string bytes = all.substr(kChecksum);
  if (all.compare(0, kChecksum, checksum(bytes)) != 0) return std::nullopt;
  return bytes;
}

void write_cache(const std::string& name, std::string_view bytes) {
  const fs::path base = folder();
  if (base.empty()) return;
  std::error_code ignored;
  fs::create_directories(base, ignored);
  // Written beside and renamed, so that nobody reads half a file.
  const fs::path temporary = base / fmt::format("{}.{}", name, ::getpid());
  {
    std::ofstream file(temporary, std::ios::binary);
    file << checksum(bytes) << bytes;
    if (!file.flush()) {
      fs::remove(temporary, ignored);
      return;
    }
  }
  fs::rename(temporary, base / name, ignored);
}

}  // namespace skald::runtime
