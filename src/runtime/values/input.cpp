// SPDX-License-Identifier: Apache-2.0
#include "runtime/values/input.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace skald::runtime {

namespace {
constexpr size_t kWindowBytes = 1 << 18;
// Linux reads at most a little less than 2 GiB in one call.
constexpr size_t kLargestRead = 1 << 30;
}  // namespace

Input::Input(int fd) : fd_(fd), window_(kWindowBytes + 1) {
  cursor_ = counted_ = window_.data();
}

Input::Input(std::string_view text)
    : memory_(text), window_(std::min(kWindowBytes, text.size() + 1) + 1) {
  cursor_ = counted_ = window_.data();
}

size_t Input::read_some(char* out, size_t bytes) {
  if (fd_ < 0) {
    const size_t n = std::min(bytes, memory_.size());
    if (n != 0) std::memcpy(out, memory_.data(), n);
    memory_.remove_prefix(n);
    return n;
  }
  while (true) {
    const ssize_t n = ::read(fd_, out, std::min(bytes, kLargestRead));
    if (n >= 0) return static_cast<size_t>(n);
    if (errno == EINTR) continue;
    error_ = std::strerror(errno);
    return 0;
  }
}

void Input::count_lines(const char* until) {
  while (counted_ < until) {
    const void* newline = std::memchr(counted_, '\n', static_cast<size_t>(until - counted_));
    if (newline == nullptr) break;
    counted_ = static_cast<const char*>(newline) + 1;
    ++line_;
    line_start_ = window_offset_ + (counted_ - window_.data());
  }
  counted_ = std::max(counted_, until);
}

bool Input::want(size_t bytes) {
  if (static_cast<size_t>(limit() - cursor_) >= bytes) return true;
  if (ended_) return false;
  if (!binary_) count_lines(cursor_);
  const size_t used = static_cast<size_t>(cursor_ - window_.data());
  filled_ -= used;
  std::memmove(window_.data(), cursor_, filled_);
  window_offset_ += static_cast<int64_t>(used);
  if (bytes + 1 > window_.size()) window_.resize(std::max(2 * window_.size(), bytes + 1));
  cursor_ = counted_ = window_.data();
  while (filled_ < bytes && !ended_) {
    const size_t n = read_some(window_.data() + filled_, window_.size() - 1 - filled_);
    if (n == 0) ended_ = true;
    filled_ += n;
  }
  window_[filled_] = 0;
  return filled_ >= bytes;
}

size_t Input::read_into(void* out, size_t bytes) {
  size_t done = std::min(bytes, static_cast<size_t>(limit() - cursor_));
  if (done != 0) std::memcpy(out, cursor_, done);
  cursor_ += done;
  while (done < bytes && !ended_) {
    const size_t n = read_some(static_cast<char*>(out) + done, bytes - done);
    if (n == 0) ended_ = true;
    done += n;
    window_offset_ += static_cast<int64_t>(n);
  }
  return done;
}

std::optional<int64_t> Input::bytes_left() const {
  const int64_t in_window = limit() - cursor_;
  if (fd_ < 0) return in_window + static_cast<int64_t>(memory_.size());
  struct stat info;
  if (fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const off_t at = lseek(fd_, 0, SEEK_CUR);
  if (at < 0) return std::nullopt;
  return in_window + std::max<int64_t>(0, info.st_size - at);
}

InputPosition Input::position() {
  InputPosition place{.offset = window_offset_ + (cursor_ - window_.data())};
  if (binary_) return place;
  count_lines(cursor_);
  place.line = line_;
  place.column = place.offset - line_start_ + 1;
  return place;
}

}  // namespace skald::runtime
