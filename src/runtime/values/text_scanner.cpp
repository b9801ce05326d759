// SPDX-License-Identifier: Apache-2.0
#include "runtime/values/text_scanner.h"

#include <cstring>

namespace skald::runtime {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void skip_line(Input& input) {
  do {
    const char* p = input.cursor();
    const void* newline = std::memchr(p, '\n', static_cast<size_t>(input.limit() - p));
    if (newline != nullptr) return input.move_to(static_cast<const char*>(newline));
    input.move_to(input.limit());
  } while (input.want(1));
}

}  // namespace

bool skip_space(Input& input) {
  while (true) {
    const char* p = input.cursor();
    while (is_space(*p)) ++p;
    input.move_to(p);
    if (p == input.limit()) {
      if (!input.want(1)) return false;
    } else if (*p == '-' && input.want(2) && input.cursor()[1] == '-') {
      skip_line(input);
    } else {
      return true;
    }
  }
}

std::string_view scan_token(Input& input) {
  size_t length = 0;
  while (length < kLongestToken) {
    if (!input.want(length + 1)) break;
    const char* token = input.cursor();
    const auto available = static_cast<size_t>(input.limit() - token);
    const bool number = !is_letter(*token);
    for (; length < available && length < kLongestToken; ++length) {
      const char c = token[length];
      if (is_letter(c) || is_digit(c) || c == '_' || c == '.') continue;
      if (c != '+' && c != '-') break;
      // A sign starts a literal or its exponent.
      if (length == 0) continue;
      const char before = static_cast<char>(token[length - 1] | 0x20);
      if (!number || (before != 'e' && before != 'p')) break;
    }
    if (length < available) break;
  }
  return {input.cursor(), length};
}

std::string describe_next(Input& input) {
  constexpr size_t kShown = 30;
  if (!input.want(1)) return "the end of the input";
  if (*input.cursor() == 'b' && input.want(2) && input.cursor()[1] == 2) return "a binary value";
  input.want(kShown + 1);
  std::string shown;
  const char* p = input.cursor();
  const char* limit = input.limit();
  for (; p < limit && shown.size() < kShown; ++p) {
    const auto c = static_cast<unsigned char>(*p);
    const bool separator = is_space(*p) || c == ',' || c == ']' || c == ')';
    if (separator && !shown.empty()) break;
    if (c < 0x20 || c >= 0x7f)
      shown += fmt::format("\\x{:02x}", c);
    else
      shown += *p;
    if (separator) break;
  }
  const bool cut = shown.size() >= kShown && p < limit;
  return fmt::format("`{}`{}", shown, cut ? "…" : "");
}

ReadError error_here(Input& input, std::string what) {
  if (!input.error().empty()) what = fmt::format("cannot read the input: {}", input.error());
  return ReadError{input.position(), std::move(what)};
}

ReadError expected_here(Input& input, std::string_view what) {
  const std::string found = describe_next(input);
  return error_here(input, fmt::format("expected {}, but found {}", what, found));
}

}  // namespace skald::runtime
