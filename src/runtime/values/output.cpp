// SPDX-License-Identifier: Apache-2.0
#include "runtime/values/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace skald::runtime {

namespace {
constexpr size_t kFileBufferBytes = 1 << 17, kTextBufferBytes = 2 * Output::kLargestPiece;
}

Output::Output(int fd) : fd_(fd), buffer_(new char[kFileBufferBytes]) {
  cursor_ = buffer_.get();
  limit_ = cursor_ + kFileBufferBytes;
}

Output::Output(std::string& text) : text_(&text), buffer_(new char[kTextBufferBytes]) {
  cursor_ = buffer_.get();
  limit_ = cursor_ + kTextBufferBytes;
}

Output::~Output() {
  drain();
}

void Output::send(const char* bytes, size_t count) {
  if (text_ != nullptr) {
    text_->append(bytes, count);
    return;
  }
  constexpr size_t kLargestWrite = 1 << 30;
  while (count > 0 && error_.empty()) {
    const ssize_t n = ::write(fd_, bytes, std::min(count, kLargestWrite));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      error_ = fmt::format("cannot write the output: {}", std::strerror(errno));
      return;
    }
    bytes += n;
    count -= static_cast<size_t>(n);
  }
}

void Output::drain() {
  send(buffer_.get(), static_cast<size_t>(cursor_ - buffer_.get()));
  cursor_ = buffer_.get();
}

void Output::write(std::string_view bytes) {
  if (bytes.size() <= kLargestPiece) {
    char* to = room(bytes.size());
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    cursor_ += bytes.size();
    return;
  }
  drain();
  send(bytes.data(), bytes.size());
}

Result<Unit> Output::flush() {
  drain();
  if (!error_.empty()) return Failure(error_);
  return Unit{};
}

}  // namespace skald::runtime
