// SPDX-License-Identifier: Apache-2.0
#include "runtime/values/literal.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "runtime/values/text_scanner.h"
#include "support/f16.h"

namespace skald::runtime {

namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// `f32.nan`, `f64.inf`, …
std::optional<Literal> special_float(std::string_view text) {
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::optional<Prim> type = prim_from_name(text.substr(0, dot));
  const std::string_view name = text.substr(dot + 1);
  if (!type || !is_float(*type) || (name != "nan" && name != "inf")) return std::nullopt;
  return Literal{.kind = Literal::Kind::kFloat, .digits = std::string(name), .suffix = type};
}

// Sets magnitude and overflows from the digits of `text`.
void set_magnitude(Literal& literal, std::string_view text) {
  for (char c : text) {
    if (c == '_') continue;
    const auto digit = static_cast<uint64_t>(digit_value(c));
    literal.overflows |=
        __builtin_mul_overflow(literal.magnitude, static_cast<uint64_t>(literal.base),
                               &literal.magnitude) ||
        __builtin_add_overflow(literal.magnitude, digit, &literal.magnitude);
  }
}

// Where the digits of a number of `base` (underscores included) end.
size_t digits_end(std::string_view text, size_t from, int base) {
  while (from < text.size() && (text[from] == '_' || digit_value(text[from]) < base)) ++from;
  return from;
}

// True if `text` holds a digit, so is more than underscores.
bool has_digit(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c != '_'; });
}

// Where an exponent that starts at `from` ends; `from` if there is none.
size_t exponent_end(std::string_view text, size_t from, char lower) {
  if (from >= text.size() || (text[from] | 0x20) != lower) return from;
  size_t digits = from + 1;
  if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
  const size_t end = digits_end(text, digits, 10);
  return has_digit(text.substr(digits, end - digits)) ? end : from;
}

// Recognises the number at the start of `text`, without sign; returns where it ends, 0 if there is
// none.
size_t number(std::string_view text, Literal& literal) {
  size_t begin = 0;
  if (text.size() > 2 && text[0] == '0') {
    const char letter = static_cast<char>(text[1] | 0x20);
    literal.base = letter == 'x' ? 16 : letter == 'b' ? 2 : 10;
    if (literal.base != 10) begin = 2;
  }
  const size_t whole_end = digits_end(text, begin, literal.base);
  size_t end = whole_end;
  bool digits_seen = has_digit(text.substr(begin, whole_end - begin));
  if (end < text.size() && text[end] == '.' && literal.base != 2) {
    const size_t fraction_end = digits_end(text, end + 1, literal.base);
    digits_seen |= has_digit(text.substr(end + 1, fraction_end - end - 1));
    end = fraction_end;
  }
  if (!digits_seen) return 0;
  if (literal.base != 2) end = exponent_end(text, end, literal.base == 16 ? 'p' : 'e');
  literal.kind = end == whole_end ? Literal::Kind::kInt : Literal::Kind::kFloat;
  if (literal.kind == Literal::Kind::kInt) set_magnitude(literal, text.substr(begin, end - begin));
  for (char c : text.substr(begin, end - begin))
    if (c != '_') literal.digits += c;
  return end;
}

// Rounds once, to the nearest value of T.  Out of range gives infinity or zero, as in C.
template <class T>
T parse_float(const Literal& literal) {
  if (literal.digits == "nan") return std::numeric_limits<T>::quiet_NaN();
  if (literal.digits == "inf") return std::numeric_limits<T>::infinity();
  const bool hex = literal.base == 16;
  // from_chars wants at least one digit before the point.
  const std::string text = literal.digits[0] == '.' ? "0" + literal.digits : literal.digits;
  T value = 0;
  const std::from_chars_result end =
      std::from_chars(text.data(), text.data() + text.size(), value,
                      hex ? std::chars_format::hex : std::chars_format::general);
  if (end.ec == std::errc::result_out_of_range) {
    const std::string c_text = (hex ? "0x" : "") + text;
    if constexpr (sizeof(T) == sizeof(float))
      value = std::strtof(c_text.c_str(), nullptr);
    else
      value = std::strtod(c_text.c_str(), nullptr);
  }
  return value;
}

template <class T>
T float_value(const Literal& literal) {
  T value;
  if (literal.kind == Literal::Kind::kInt && literal.base != 10)
    value = static_cast<T>(literal.magnitude);
  else
    value = parse_float<T>(literal);
  return literal.negative ? -value : value;
}

uint64_t float_bits(const Literal& literal, Prim type) {
  if (type == Prim::kF64) return std::bit_cast<uint64_t>(float_value<double>(literal));
  if (type == Prim::kF32) return std::bit_cast<uint32_t>(float_value<float>(literal));
  return f64_to_f16(float_value<double>(literal));
}

// A suffix asks for wrap-around, as in source text: 255i8 is -1.  Without one, only hexadecimal and
// binary literals may use all bits of a signed type.
bool fits(const Literal& literal, Prim type) {
  if (literal.overflows || literal.suffix) return !literal.overflows;
  const int bits = prim_bits(type);
  const uint64_t all_bits = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  if (literal.negative)
    return literal.magnitude <= (is_signed_int(type) ? (all_bits >> 1) + 1 : uint64_t{0});
  if (is_unsigned_int(type) || literal.base != 10) return literal.magnitude <= all_bits;
  return literal.magnitude <= all_bits >> 1;
}

}  // namespace

Prim Literal::natural_type() const {
  if (suffix) return *suffix;
  switch (kind) {
    case Kind::kBool: return Prim::kBool;
    case Kind::kInt: return Prim::kI32;
    case Kind::kFloat: return Prim::kF64;
  }
  SKALD_BUG("no such literal");
}

Result<Literal> parse_literal(std::string_view token) {
  if (token == "true" || token == "false")
    return Literal{.kind = Literal::Kind::kBool, .magnitude = token == "true" ? 1u : 0u};
  const bool sign = !token.empty() && (token[0] == '-' || token[0] == '+');
  const std::string_view text = token.substr(sign ? 1 : 0);
  Literal literal;
  if (std::optional<Literal> special = special_float(text)) {
    literal = std::move(*special);
  } else {
    if (text.empty() || !(is_digit(text[0]) || text[0] == '.'))
      return Failure("this is not a value");
    const size_t end = number(text, literal);
    if (end == 0) return Failure("this is not a number");
    if (end != text.size()) {
      literal.suffix = prim_from_name(text.substr(end));
      if (!literal.suffix || *literal.suffix == Prim::kBool)
        return Failure(fmt::format("`{}` is not the name of a number type", text.substr(end, 20)));
      if (literal.kind == Literal::Kind::kFloat && is_int(*literal.suffix))
        return Failure(fmt::format("a number with a fraction or exponent cannot have the type {}",
                                   prim_name(*literal.suffix)));
    }
  }
  literal.negative = sign && token[0] == '-';
  return literal;
}

Result<uint64_t> convert_literal(const Literal& literal, Prim type) {
  const Prim natural = literal.natural_type();
  const bool free = !literal.suffix && literal.kind != Literal::Kind::kBool && type != Prim::kBool;
  if (natural != type && !(free && (is_float(type) || literal.kind == Literal::Kind::kInt)))
    return Failure(fmt::format("it has type {}", prim_name(natural)));
  if (literal.kind == Literal::Kind::kBool) return literal.magnitude;
  if (is_float(type)) return float_bits(literal, type);
  if (!fits(literal, type))
    return Failure(fmt::format("the number does not fit into {}", prim_name(type)));
  const uint64_t bits = literal.negative ? 0 - literal.magnitude : literal.magnitude;
  return prim_bits(type) == 64 ? bits : bits & ((uint64_t{1} << prim_bits(type)) - 1);
}

}  // namespace skald::runtime
