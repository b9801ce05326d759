// SPDX-License-Identifier: Apache-2.0
// Writer: builds text line by line with indentation.  Used by every printer.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace skald {

class Writer {
 public:
  explicit Writer(int spaces_per_level = 2) : step_(spaces_per_level) {}

  // Appends text to the current line; the indentation is written before its first character.
  Writer& operator<<(std::string_view text) {
    start_line_if_needed(text);
    out_ += text;
    return *this;
  }
  Writer& operator<<(char c) { return *this << std::string_view(&c, 1); }

  template <class... Args>
  Writer& print(fmt::format_string<Args...> format, Args&&... args) {
    return *this << std::string_view(fmt::format(format, std::forward<Args>(args)...));
  }

  // Ends the current line.
  Writer& newline() {
    out_ += '\n';
    at_line_start_ = true;
    return *this;
  }

  void indent() { ++level_; }
  void dedent() { --level_; }

  const std::string& text() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  void start_line_if_needed(std::string_view text) {
    if (!at_line_start_ || text.empty()) return;
    out_.append(static_cast<size_t>(level_ * step_), ' ');
    at_line_start_ = false;
  }

  std::string out_;
  int level_ = 0;
  int step_;
  bool at_line_start_ = true;
};

// Writes with one more level of indentation for as long as it lives.
class Indented {
 public:
  explicit Indented(Writer& out) : out_(out) { out_.indent(); }
  ~Indented() { out_.dedent(); }
  Indented(const Indented&) = delete;
  Indented& operator=(const Indented&) = delete;

 private:
  Writer& out_;
};

}  // namespace skald
