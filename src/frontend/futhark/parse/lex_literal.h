// SPDX-License-Identifier: Apache-2.0
// What literal tokens stand for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frontend/futhark/ast/ast.h"
#include "support/result.h"

namespace skald::futhark {

// A number as the lexer cut it out.  Integers come out as decimal digits or with a `0x` or `0b`
// prefix in lower case; Roman numerals are turned into decimal digits.  Floats are decimal, or
// hexadecimal as strtod reads them.
Literal number_literal(std::string_view token, bool is_float);

// The integer a Literal of kind kInt or kChar stands for, its sign included.  `overflow` is set if
// it does not fit into 128 bits; the result then holds the low bits.
__int128 integer_value(const Literal& literal, bool& overflow);

// A token `'…'`: the code point.
Result<uint32_t> char_value(std::string_view token);

// A token `"…"`: its bytes in UTF-8.
Result<std::string> string_value(std::string_view token);

// One character of a literal, at `pos` (which moves behind it): a plain character or an escape.
// kNothing is what the escapes \& and \   \ stand for.
inline constexpr uint32_t kNothing = UINT32_MAX;
Result<uint32_t> literal_char(std::string_view text, size_t& pos);

void append_utf8(std::string& out, uint32_t code_point);

// The code point at `pos`, which moves behind it.  Malformed bytes count as one U+FFFD each.
uint32_t next_code_point(std::string_view text, size_t& pos);

}  // namespace skald::futhark
