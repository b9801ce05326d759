// SPDX-License-Identifier: Apache-2.0
// Tokens of the text form of the core IR.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skald::core {

struct Token {
  enum Kind : uint8_t {
    kWord,     // let, xs_12, add_i32
    kNumber,   // -1.5e-7f32, 3; `text` is the number, `suffix` its type or nothing
    kHex,      // 0x7fc0
    kString,   // `value` is what it stands for
    kSymbol,   // one of  { } ( ) [ ] , : ; = * \ @ # < . -  and ->
    kEnd,      // of the file; `text` is empty
    kUnknown,  // what is none of these; `value` says why
  };
  Kind kind = kEnd;
  uint32_t begin = 0, end = 0;  // bytes in the file
  std::string_view text = {};
  std::string_view suffix = {};
  std::string value = {};
};

// All tokens of `text`, the last one being kEnd.  `--` starts a comment up to the end of its line.
// Stops after the first kUnknown.  The tokens point into `text`.
std::vector<Token> lex(std::string_view text);

}  // namespace skald::core
