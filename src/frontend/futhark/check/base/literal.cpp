// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/base/literal.h"

#include <cmath>
#include <cstdlib>
#include <limits>

namespace skald::futhark {

namespace {

std::optional<__int128> roman_value(const std::string& digits) {
  auto value = [](char c) -> int {
    switch (c | 0x20) {
      case 'i': return 1;
      case 'v': return 5;
      case 'x': return 10;
      case 'l': return 50;
      case 'c': return 100;
      case 'd': return 500;
      case 'm': return 1000;
      default: return 0;
    }
  };
  __int128 total = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    const int v = value(digits[i]);
    total += i + 1 < digits.size() && v < value(digits[i + 1]) ? -v : v;
  }
  return total;
}

}  // namespace

std::optional<__int128> int_literal_value(const std::string& text) {
  unsigned base = 10;
  size_t start = 0;
  if (text.size() > 2 && text[0] == '0') {
    const char kind = static_cast<char>(text[1] | 0x20);
    if (kind == 'x') base = 16, start = 2;
    if (kind == 'b') base = 2, start = 2;
    if (kind == 'r') return roman_value(text.substr(2));
  }
  constexpr __int128 kLimit = static_cast<__int128>(1) << 120;
  __int128 value = 0;
  for (size_t i = start; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '_') continue;
    const int digit = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    value = value * base + digit;
    if (value >= kLimit) return std::nullopt;
  }
  return value;
}

double literal_as_double(const std::string& text) {
  if (text.size() > 2 && text[0] == '0' && ((text[1] | 0x20) == 'b' || (text[1] | 0x20) == 'r')) {
    auto v = int_literal_value(text);
    return v ? static_cast<double>(*v) : std::numeric_limits<double>::infinity();
  }
  return std::strtod(text.c_str(), nullptr);
}

bool literal_fits(const Literal& lit, bool negated, Prim type) {
  if (is_float(type)) {
    const double v = literal_as_double(lit.text);
    if (type == Prim::kF64) return !std::isinf(v);
    const bool half = type == Prim::kF16 && lit.kind == Literal::kInt;
    return half ? v < 65520.0 : !std::isinf(static_cast<float>(v));
  }
  if (type == Prim::kBool) return lit.kind == Literal::kBool;
  auto v = int_literal_value(lit.text);
  if (!v) return false;
  const int bits = prim_bits(type);
  const __int128 one = 1;
  if (is_unsigned_int(type)) return negated ? *v == 0 : *v < (one << bits);
  return negated ? *v <= (one << (bits - 1)) : *v < (one << (bits - 1));
}

}  // namespace skald::futhark
