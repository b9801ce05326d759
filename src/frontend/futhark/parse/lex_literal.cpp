// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/parse/lex_literal.h"

#include <array>
#include <utility>

namespace skald::futhark {

namespace {

constexpr uint32_t kMaxCodePoint = 0x10ffff;
constexpr uint32_t kReplacement = 0xfffd;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

int roman_value(char c) {
  switch (c) {
    case 'I': return 1;
    case 'V': return 5;
    case 'X': return 10;
    case 'L': return 50;
    case 'C': return 100;
    case 'D': return 500;
    case 'M': return 1000;
    default: return 0;
  }
}

std::string roman_to_decimal(std::string_view digits) {
  int64_t sum = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    const int here = roman_value(digits[i]);
    const int next = i + 1 < digits.size() ? roman_value(digits[i + 1]) : 0;
    sum += here < next ? -here : here;
  }
  return std::to_string(sum);
}

// The names of the control characters in escapes.  SOH stands before SO, which it begins with.
constexpr std::array<std::pair<std::string_view, uint32_t>, 34> kNamedEscapes = {{
    {"NUL", 0},  {"SOH", 1},  {"STX", 2},  {"ETX", 3},  {"EOT", 4},  {"ENQ", 5},   {"ACK", 6},
    {"BEL", 7},  {"BS", 8},   {"HT", 9},   {"LF", 10},  {"VT", 11},  {"FF", 12},   {"CR", 13},
    {"SO", 14},  {"SI", 15},  {"DLE", 16}, {"DC1", 17}, {"DC2", 18}, {"DC3", 19},  {"DC4", 20},
    {"NAK", 21}, {"SYN", 22}, {"ETB", 23}, {"CAN", 24}, {"EM", 25},  {"SUB", 26},  {"ESC", 27},
    {"FS", 28},  {"GS", 29},  {"RS", 30},  {"US", 31},  {"SP", 32},  {"DEL", 127},
}};

// The one-letter escapes; 0 if `c` is none (no such escape stands for the character 0).
uint32_t short_escape(char c) {
  switch (c) {
    case 'a': return 7;
    case 'b': return 8;
    case 't': return 9;
    case 'n': return 10;
    case 'v': return 11;
    case 'f': return 12;
    case 'r': return 13;
    case '"': return '"';
    case '\'': return '\'';
    case '\\': return '\\';
    default: return 0;
  }
}

Result<uint32_t> numeric_escape(std::string_view text, size_t& pos, int base) {
  uint32_t value = 0;
  const size_t first = pos;
  for (; pos < text.size() && digit_value(text[pos]) < base; ++pos) {
    value = value * static_cast<uint32_t>(base) + static_cast<uint32_t>(digit_value(text[pos]));
    if (value > kMaxCodePoint)
      return Failure("the escape is larger than the last character, 1114111");
  }
  if (pos == first) return Failure("digits must follow in this escape");
  return value;
}

// `pos` stands behind the backslash.
Result<uint32_t> escape(std::string_view text, size_t& pos) {
  if (pos >= text.size()) return Failure("the escape is not complete");
  const char c = text[pos];
  if (const uint32_t value = short_escape(c); value != 0) return ++pos, value;
  if (is_digit(c)) return numeric_escape(text, pos, 10);
  if ((c == 'x' || c == 'X')) return ++pos, numeric_escape(text, pos, 16);
  if ((c == 'o' || c == 'O')) return ++pos, numeric_escape(text, pos, 8);
  if (c == '&') return ++pos, kNothing;
  if (c == '^' && pos + 1 < text.size() && text[pos + 1] >= '@' && text[pos + 1] <= '_') {
    const auto value = static_cast<uint32_t>(text[pos + 1] - '@');
    pos += 2;
    return value;
  }
  for (const auto& [name, value] : kNamedEscapes) {
    if (!text.substr(pos).starts_with(name)) continue;
    pos += name.size();
    return value;
  }
  if (c == ' ' || c == '\t') {
    while (pos < text.size() && (text[pos] == ' ' || text[pos] == '\t')) ++pos;
    if (pos < text.size() && text[pos] == '\\') return ++pos, kNothing;
    return Failure("a gap in a string must end with a backslash");
  }
  return Failure(fmt::format("there is no escape `\\{}`", c));
}

}  // namespace

void append_utf8(std::string& out, uint32_t c) {
  if (c >= 0xd800 && c < 0xe000) c = kReplacement;
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

uint32_t next_code_point(std::string_view text, size_t& pos) {
  const auto lead = static_cast<uint8_t>(text[pos++]);
  if (lead < 0x80) return lead;
  const size_t more = lead >= 0xf0 && lead <= 0xf4  ? 3
                      : lead >= 0xe0 && lead < 0xf0 ? 2
                      : lead >= 0xc2 && lead < 0xe0 ? 1
                                                    : 0;
  if (more == 0 || pos + more > text.size()) return kReplacement;
  uint32_t value = lead & (0x3fu >> more);
  for (size_t k = 0; k < more; ++k) {
    const auto byte = static_cast<uint8_t>(text[pos + k]);
    if ((byte & 0xc0) != 0x80) return kReplacement;
    value = (value << 6) | (byte & 0x3f);
  }
  pos += more;
  return value;
}

Result<uint32_t> literal_char(std::string_view text, size_t& pos) {
  if (text[pos] != '\\') return next_code_point(text, pos);
  ++pos;
  return escape(text, pos);
}

Result<uint32_t> char_value(std::string_view token) {
  size_t pos = 1;
  const Result<uint32_t> value = literal_char(token, pos);
  if (!value) return value;
  if (*value == kNothing || pos + 1 != token.size())
    return Failure("a character literal holds exactly one character");
  return value;
}

Result<std::string> string_value(std::string_view token) {
  std::string out;
  const std::string_view inner = token.substr(1, token.size() - 2);
  out.reserve(inner.size());
  for (size_t pos = 0; pos < inner.size();) {
    if (inner[pos] != '\\') {
      const size_t stop = std::min(inner.find('\\', pos), inner.size());
      out += inner.substr(pos, stop - pos);
      pos = stop;
      continue;
    }
    const Result<uint32_t> value = literal_char(inner, pos);
    if (!value) return value.failure();
    if (*value != kNothing) append_utf8(out, *value);
  }
  return out;
}

Literal number_literal(std::string_view token, bool is_float) {
  Literal out;
  out.kind = is_float ? Literal::kFloat : Literal::kInt;
  out.text.reserve(token.size());
  for (const char c : token)
    if (c != '_') out.text += c;
  const bool prefixed = out.text.size() > 1 && out.text[0] == '0' && !is_digit(out.text[1]);
  const char base = prefixed ? static_cast<char>(out.text[1] | 0x20) : 'd';
  // The suffix: in hexadecimal integers an `f` is a digit, and in floats only `f` begins one.
  const bool hex_int = base == 'x' && !is_float;
  const bool hex_float = base == 'x' && is_float;
  const size_t from = hex_float ? out.text.find_first_of("pP") : 0;
  const size_t at = out.text.find_first_of(hex_int ? "iu" : "iuf", from);
  if (at != std::string::npos) {
    out.suffix = out.text.substr(at);
    out.text.resize(at);
  }
  if (base == 'r') {
    out.text = roman_to_decimal(std::string_view(out.text).substr(2));
  } else if (base == 'x' || base == 'b') {
    out.text[1] = base;
  }
  return out;
}

__int128 integer_value(const Literal& literal, bool& overflow) {
  std::string_view digits = literal.text;
  unsigned base = 10;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'b')) {
    base = digits[1] == 'x' ? 16 : 2;
    digits.remove_prefix(2);
  }
  using Wide = unsigned __int128;
  constexpr Wide kLargest = (static_cast<Wide>(1) << 127) - 1;
  Wide value = 0;
  overflow = false;
  for (const char c : digits) {
    const auto digit = static_cast<unsigned>(digit_value(c));
    if (value > (kLargest - digit) / base) overflow = true;
    value = value * base + digit;
  }
  const auto result = static_cast<__int128>(value);
  return literal.negative ? static_cast<__int128>(0 - value) : result;
}

}  // namespace skald::futhark
