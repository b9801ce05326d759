// SPDX-License-Identifier: Apache-2.0
#include "runtime/disk_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "support/bytes.h"

namespace skald::runtime {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t kDefaultLimit = uint64_t{512} << 20;
constexpr uint64_t kMagic = 0x3130656863616b73;  // "skache01"
constexpr size_t kHeader = 4 * sizeof(uint64_t);
// Files that a process left half-written when it was killed.
constexpr time_t kOldTemporary = 3600;
// An entry counts as used when it was read; the time is not written more often than this.
constexpr time_t kTouchEvery = 60;

const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != 0 ? value : nullptr;
}

fs::path standard_folder() {
  if (const char* own = setting("SKALD_CACHE_DIR")) return own;
  if (const char* xdg = setting("XDG_CACHE_HOME")) return fs::path(xdg) / "skald";
  if (const char* home = setting("HOME")) return fs::path(home) / ".cache" / "skald";
  return {};
}

bool turned_off() {
  const char* value = setting("SKALD_CACHE");
  if (value == nullptr) return false;
  const std::string_view text = value;
  return text == "off" || text == "0" || text == "no" || text == "false";
}

// 32 hexadecimal digits, a dot, then letters (and, of temporary files, more).
bool is_entry_name(std::string_view name) {
  constexpr size_t kDigits = 32;
  return name.size() > kDigits + 1 && name[kDigits] == '.' &&
         name.find_first_not_of("0123456789abcdef") == kDigits;
}
// "run" of "0123….run".
std::string kind_of(std::string_view name) {
  name.remove_prefix(name.find('.') + 1);
  return std::string(name.substr(0, name.find('.')));
}
bool is_temporary_name(std::string_view name) {
  return name.ends_with(".tmp");
}

struct EntryFile {
  fs::path path;
  uint64_t bytes = 0;
  time_t used = 0;
};

// Every file of ours; files of others in the same folder are left alone.
std::vector<EntryFile> entries_of(const fs::path& folder) {
  std::vector<EntryFile> files;
  std::error_code error;
  fs::directory_iterator next(folder, error);
  for (; !error && next != fs::directory_iterator(); next.increment(error)) {
    struct stat info = {};
    if (!is_entry_name(next->path().filename().string())) continue;
    if (::lstat(next->path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    files.push_back({next->path(), static_cast<uint64_t>(info.st_size), info.st_mtime});
  }
  return files;
}

void count_file(const EntryFile& file, DiskCache::Usage& usage) {
  ++usage.files;
  usage.bytes += file.bytes;
  ++usage.kinds[kind_of(file.path.filename().native())];
}

std::optional<std::string> read_all(int file) {
  struct stat info = {};
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  for (size_t have = 0; have < bytes.size();) {
    const ssize_t n = ::read(file, bytes.data() + have, bytes.size() - have);
    if (n <= 0) return std::nullopt;
    have += static_cast<size_t>(n);
  }
  if (time(nullptr) - info.st_mtime > kTouchEvery) ::futimens(file, nullptr);
  return bytes;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

std::string header_of(std::string_view payload) {
  const Hash128 sum = hash128(payload);
  ByteWriter out;
  out.number(kMagic);
  out.number(payload.size());
  out.number(sum.low);
  out.number(sum.high);
  return out.take();
}

}  // namespace

std::optional<uint64_t> parse_bytes(std::string_view text) {
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return std::nullopt;
  std::string_view unit(rest, static_cast<size_t>(end - rest));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (unit.empty()) return number;
  const size_t power = std::string_view("KMG").find(unit[0]);
  if (unit.size() > 1 || power == std::string_view::npos) return std::nullopt;
  const int shift = 10 * static_cast<int>(power + 1);
  if (number > UINT64_MAX >> shift) return std::nullopt;
  return number << shift;
}

DiskCache::DiskCache(fs::path folder, uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}

DiskCache DiskCache::standard() {
  if (turned_off()) return {{}, 0};
  const char* limit = setting("SKALD_CACHE_LIMIT");
  return {standard_folder(),
          limit == nullptr ? kDefaultLimit : parse_bytes(limit).value_or(kDefaultLimit)};
}

fs::path DiskCache::path_of(Hash128 key, std::string_view kind) const {
  return folder_ / fmt::format("{}.{}", key.hex(), kind);
}

// True if the folder is there and nobody else can put code into it.
bool DiskCache::is_ours() const {
  struct stat info = {};
  return ::stat(folder_.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         (info.st_uid == ::geteuid() || info.st_uid == 0) && (info.st_mode & S_IWOTH) == 0;
}

bool DiskCache::make_folder() const {
  if (is_ours()) return true;
  std::error_code error;
  fs::create_directories(folder_.parent_path(), error);
  ::mkdir(folder_.c_str(), 0700);
  return is_ours();
}

bool DiskCache::has(Hash128 key, std::string_view kind) const {
  return enabled() && ::access(path_of(key, kind).c_str(), R_OK) == 0;
}

std::optional<std::string> DiskCache::read(Hash128 key, std::string_view kind) const {
  if (!enabled()) return std::nullopt;
  if (!is_ours()) return std::nullopt;
  const int file = ::open(path_of(key, kind).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::optional<std::string> bytes = read_all(file);
  ::close(file);
  if (!bytes) return std::nullopt;
  if (bytes->size() >= kHeader &&
      bytes->compare(0, kHeader, header_of(std::string_view(*bytes).substr(kHeader))) == 0) {
    bytes->erase(0, kHeader);
    return bytes;
  }
  remove(key, kind);
  return std::nullopt;
}

void DiskCache::write(Hash128 key, std::string_view kind, std::string_view bytes) const {
  if (!enabled() || bytes.size() + kHeader > limit_ || !make_folder()) return;
  static std::atomic<unsigned> counter = 0;
  const fs::path target = path_of(key, kind);
  const std::string temporary =
      fmt::format("{}.{}.{}.tmp", target.string(), ::getpid(), counter.fetch_add(1));
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  const bool written = write_all(file, header_of(bytes)) && write_all(file, bytes);
  // Whether it is on the disk when the power goes does not matter: the checksum tells.
  if (::close(file) != 0 || !written || ::rename(temporary.c_str(), target.c_str()) != 0) {
    ::unlink(temporary.c_str());
    return;
  }
  make_room();
}

void DiskCache::remove(Hash128 key, std::string_view kind) const {
  if (enabled()) ::unlink(path_of(key, kind).c_str());
}

void DiskCache::make_room() const {
  std::vector<EntryFile> files = entries_of(folder_);
  uint64_t total = 0;
  const time_t now = time(nullptr);
  for (const EntryFile& file : files) {
    if (is_temporary_name(file.path.native()) && now - file.used > kOldTemporary)
      ::unlink(file.path.c_str());
    total += file.bytes;
  }
  if (total <= limit_) return;
  std::ranges::sort(files, {}, &EntryFile::used);
  // Somewhat less than allowed, so that not every write has to look for room.
  const uint64_t enough = limit_ - limit_ / 8;
  for (const EntryFile& file : files) {
    if (total <= enough) return;
    if (is_temporary_name(file.path.native())) continue;
    if (::unlink(file.path.c_str()) == 0) total -= file.bytes;
  }
}

DiskCache::Usage DiskCache::usage() const {
  Usage usage;
  if (!enabled()) return usage;
  for (const EntryFile& file : entries_of(folder_)) count_file(file, usage);
  return usage;
}

Result<DiskCache::Usage> DiskCache::clear() const {
  Usage removed;
  if (!enabled()) return removed;
  for (const EntryFile& file : entries_of(folder_)) {
    if (::unlink(file.path.c_str()) != 0 && errno != ENOENT)
      return Failure(fmt::format("cannot delete `{}`: {}", file.path.string(),
                                 std::error_code(errno, std::generic_category()).message()));
    count_file(file, removed);
  }
  return removed;
}

}  // namespace skald::runtime
