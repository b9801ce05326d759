// SPDX-License-Identifier: Apache-2.0
// Input: bytes from a file descriptor or from memory, with a window that a parser can look at and
// exact positions for messages.  Large runs of bytes can bypass the window (read_into).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skald::runtime {

// A place in the input.  Lines and columns count from 1; they are 0 once binary data was read,
// because they mean nothing there.  Columns count bytes.
struct InputPosition {
  int64_t offset = 0;
  int64_t line = 0, column = 0;
};

class Input {
 public:
  explicit Input(int fd);
  // `text` must outlive the input.
  explicit Input(std::string_view text);

  // The window: the bytes from cursor() up to limit().  *limit() is 0, so a loop over characters
  // needs no other check as long as it stops at 0.
  const char* cursor() const { return cursor_; }
  const char* limit() const { return window_.data() + filled_; }
  void move_to(const char* place) { cursor_ = place; }

  // Makes the window hold at least `bytes` bytes from the cursor on (which moves it in memory).
  // False if the input ends before, or cannot be read.
  bool want(size_t bytes);
  // True if there are no bytes after the window.
  bool window_is_last() const { return ended_; }

  // Copies the next bytes to `out`, not through the window.  Returns how many there were.
  size_t read_into(void* out, size_t bytes);
  // The number of bytes that are still to come, where it is known (regular files, memory).
  std::optional<int64_t> bytes_left() const;

  // Where the cursor is.  Cheap when called for increasing positions.
  InputPosition position();
  // From now on positions have no line and column.
  void saw_binary() { binary_ = true; }
  // Why the last read failed; empty if it did not.
  const std::string& error() const { return error_; }

 private:
  size_t read_some(char* out, size_t bytes);
  void count_lines(const char* until);

  int fd_ = -1;
  std::string_view memory_;
  std::vector<char> window_;
  size_t filled_ = 0;
  const char* cursor_;
  const char* counted_;  // lines before this place are in line_
  int64_t window_offset_ = 0, line_ = 1, line_start_ = 0;
  bool ended_ = false, binary_ = false;
  std::string error_;
};

}  // namespace skald::runtime
