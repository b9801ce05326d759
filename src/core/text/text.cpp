// SPDX-License-Identifier: Apache-2.0
#include "core/text/text.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "support/f16.h"

namespace skald::core::text {

namespace {

bool is_keyword_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// The length of the UTF-8 character at the start of `text`, 0 if there is none.  Good enough to
// keep text readable; overlong forms and surrogates are escaped like other stray bytes.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const size_t length = first >= 0xc2 && first < 0xe0   ? 2
                        : first >= 0xe0 && first < 0xf0 ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4
                                                        : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  if (first == 0xe0 && byte(1) < 0xa0) return 0;
  if (first == 0xed && byte(1) >= 0xa0) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) >= 0x90) return 0;
  return length;
}

template <class Float>
std::string shortest(Float value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return std::string(buffer, end);
}

uint64_t exponent_mask(Prim type) {
  return type == Prim::kF16 ? 0x7c00 : type == Prim::kF32 ? 0x7f800000 : 0x7ff0000000000000;
}
uint64_t sign_mask(Prim type) {
  return uint64_t{1} << (prim_bits(type) - 1);
}

std::string float_text(const Const& c) {
  const uint64_t magnitude = c.bits & ~sign_mask(c.type);
  const std::string_view type = prim_name(c.type);
  if (magnitude == exponent_mask(c.type))
    return fmt::format("{}{}.inf", magnitude == c.bits ? "" : "-", type);
  if (c == canonical_nan(c.type)) return fmt::format("{}.nan", type);
  if (magnitude > exponent_mask(c.type)) return fmt::format("{}.bits({:#x})", type, c.bits);
  const double value = float_value(c);
  return (c.type == Prim::kF64 ? shortest(value) : shortest(static_cast<float>(value))) +
         std::string(type);
}

template <class Float>
std::optional<Float> parse_float(std::string_view digits) {
  Float value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

constexpr std::string_view kDomains[] = {"flat", "grid", "seg"};
constexpr std::string_view kSinks[] = {"out", "reduce", "scan", "partition", "scatter", "hist"};

}  // namespace

bool is_identifier(std::string_view text) {
  if (text.empty() || !is_keyword_letter(text.front())) return false;
  for (char c : text)
    if (!is_keyword_letter(c) && !(c >= '0' && c <= '9') && c != '\'') return false;
  return true;
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (const size_t length = utf8_length(text.substr(i))) {
      out += text.substr(i, length);
      i += length;
      continue;
    }
    ++i;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c >= 0x20 && c < 0x7f) {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out + '"';
}

std::string word(std::string_view text) {
  return is_identifier(text) ? std::string(text) : quote(text);
}

std::string constant(const Const& c) {
  if (c.type == Prim::kBool) return c.bits ? "true" : "false";
  if (is_float(c.type)) return float_text(c);
  const std::string_view type = prim_name(c.type);
  return is_signed_int(c.type) ? fmt::format("{}{}", int_value(c), type)
                               : fmt::format("{}{}", c.bits, type);
}

std::optional<Const> parse_number(std::string_view digits, Prim type) {
  const char *begin = digits.data(), *end = begin + digits.size();
  if (type == Prim::kF64) {
    if (auto value = parse_float<double>(digits)) return const_float(type, *value);
  } else if (type == Prim::kF32) {
    if (auto value = parse_float<float>(digits))
      return Const{type, std::bit_cast<uint32_t>(*value)};
  } else if (type == Prim::kF16) {
    const auto value = parse_float<double>(digits);
    if (!value) return std::nullopt;
    const Const c = const_float(type, *value);
    if (c.bits != infinity(type, false).bits && c.bits != infinity(type, true).bits) return c;
  } else if (is_signed_int(type)) {
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    const Const c = const_int(type, value);
    if (int_value(c) == value) return c;
  } else if (is_unsigned_int(type)) {
    uint64_t value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    const Const c = const_int(type, static_cast<int64_t>(value));
    if (c.bits == value) return c;
  }
  return std::nullopt;
}

Const canonical_nan(Prim type) {
  // The exponent and the topmost bit of the fraction.
  const uint64_t exponent = exponent_mask(type);
  return {type, exponent | (exponent & -exponent) >> 1};
}

Const infinity(Prim type, bool negative) {
  return {type, exponent_mask(type) | (negative ? sign_mask(type) : 0)};
}

std::string_view domain_name(Domain::Kind kind) {
  return kDomains[kind];
}
std::string_view sink_name(Sink::Kind kind) {
  return kSinks[kind];
}
std::optional<Domain::Kind> domain_from_name(std::string_view name) {
  for (size_t i = 0; i < std::size(kDomains); ++i)
    if (kDomains[i] == name) return static_cast<Domain::Kind>(i);
  return std::nullopt;
}
std::optional<Sink::Kind> sink_from_name(std::string_view name) {
  for (size_t i = 0; i < std::size(kSinks); ++i)
    if (kSinks[i] == name) return static_cast<Sink::Kind>(i);
  return std::nullopt;
}

}  // namespace skald::core::text
