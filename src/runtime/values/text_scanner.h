// SPDX-License-Identifier: Apache-2.0
// What the text and binary halves of ValueReader share: white space, tokens, error messages.
#pragma once

#include <string>
#include <string_view>

#include "runtime/values/input.h"
#include "runtime/values/value_reader.h"

namespace skald::runtime {

inline bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Skips white space and comments.  False at the end of the input.
bool skip_space(Input& input);

// The characters from the cursor on that may belong to a literal; empty if there is none.  The view
// is valid until the input is touched again.  At most kLongestToken characters.
inline constexpr size_t kLongestToken = 1 << 20;
std::string_view scan_token(Input& input);

// What comes next, for messages: "`foo`", "a binary value", "the end of the input".
std::string describe_next(Input& input);

// An error at the cursor; if the input could not be read, the error says so instead.
ReadError error_here(Input& input, std::string what);
// "expected WHAT, but found …"
ReadError expected_here(Input& input, std::string_view what);

}  // namespace skald::runtime
