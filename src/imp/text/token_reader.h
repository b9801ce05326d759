// SPDX-License-Identifier: Apache-2.0
// The words, numbers and strings of imp's text; parse.cpp puts them together.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace skald::imp {

// Thrown inside the parser only, so that every rule need not hand the failure on.
struct SyntaxError {
  size_t at;
  std::string what;
};

inline bool is_word(char c) {
  return static_cast<unsigned char>(c) > ' ' &&
         std::string_view("(),;[]{}<=@\"").find(c) == std::string_view::npos;
}

class TokenReader {
 protected:
  explicit TokenReader(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(std::string what) const { throw SyntaxError{at_, std::move(what)}; }
  void skip_space() {
    while (at_ < text_.size()) {
      if (std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        break;
      }
    }
  }
  // The word or the single other character that comes next.
  std::string_view peek() const {
    size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    // bits(0x7fc1)f32 is one constant.
    if (text_.substr(at_, end - at_) == "bits" && text_.substr(end, 1) == "(") {
      while (end < text_.size() && text_[end] != ')') ++end;
      if (end < text_.size()) ++end;
      while (end < text_.size() && is_word(text_[end])) ++end;
    }
    if (end == at_ && at_ < text_.size()) ++end;
    return text_.substr(at_, end - at_);
  }
  std::string_view next() {
    const std::string_view token = peek();
    if (token.empty()) fail("unexpected end");
    at_ += token.size();
    skip_space();
    return token;
  }
  bool accept(std::string_view token) {
    if (peek() != token) return false;
    next();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("expected `{}`, found `{}`", token, peek()));
  }
  uint32_t number() {
    const std::string_view token = peek();
    uint32_t value = 0;
    auto [p, ec] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (ec != std::errc() || p != token.data() + token.size()) fail("expected a number");
    next();
    return value;
  }
  std::string string() {
    if (at_ >= text_.size() || text_[at_] != '"') fail("expected a string");
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        out += text_[at_];
        continue;
      }
      ++at_;
      if (text_.substr(at_, 1) == "n") {
        out += '\n';
      } else if (text_.substr(at_, 1) == "x" && at_ + 2 < text_.size()) {
        unsigned value = 0;
        std::from_chars(text_.data() + at_ + 1, text_.data() + at_ + 3, value, 16);
        out += static_cast<char>(value);
        at_ += 2;
      } else if (at_ < text_.size()) {
        out += text_[at_];
      }
    }
    if (at_ >= text_.size()) fail("a string without end");
    ++at_;
    skip_space();
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace skald::imp
