// SPDX-License-Identifier: Apache-2.0
// Output: buffered bytes to a file descriptor or into a string.  After an error nothing more is
// written, and flush() says what happened.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "support/result.h"

namespace skald::runtime {

class Output {
 public:
  explicit Output(int fd);
  // Appends to `text`, which must outlive the output.
  explicit Output(std::string& text);
  // Writes what is left, ignoring errors: call flush() to learn of them.
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Room for `bytes` <= kLargestPiece bytes; the caller writes them and calls advance().
  static constexpr size_t kLargestPiece = 4096;
  char* room(size_t bytes) {
    if (static_cast<size_t>(limit_ - cursor_) < bytes) drain();
    return cursor_;
  }
  void advance(char* end) { cursor_ = end; }

  void write(std::string_view bytes);
  Result<Unit> flush();

 private:
  void drain();
  void send(const char* bytes, size_t count);

  int fd_ = -1;
  std::string* text_ = nullptr;
  std::unique_ptr<char[]> buffer_;
  char *cursor_, *limit_;
  std::string error_;
};

}  // namespace skald::runtime
