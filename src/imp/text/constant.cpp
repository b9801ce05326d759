// SPDX-License-Identifier: Apache-2.0
#include "imp/text/constant.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "support/f16.h"

namespace skald::imp {

using core::Const;

namespace {

double value_of(const Const& c) {
  switch (c.type) {
    case Prim::kF16: return f16_to_f32(static_cast<uint16_t>(c.bits));
    case Prim::kF32: return std::bit_cast<float>(static_cast<uint32_t>(c.bits));
    default: return std::bit_cast<double>(c.bits);
  }
}

uint64_t bits_of(Prim type, double value) {
  switch (type) {
    case Prim::kF16: return f64_to_f16(value);
    case Prim::kF32: return std::bit_cast<uint32_t>(static_cast<float>(value));
    default: return std::bit_cast<uint64_t>(value);
  }
}

uint64_t mask_of(Prim type) {
  return prim_size(type) == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * prim_size(type))) - 1;
}

}  // namespace

std::string constant_text(const Const& c) {
  const std::string_view suffix = prim_name(c.type);
  if (c.type == Prim::kBool) return c.bits != 0 ? "true" : "false";
  if (is_unsigned_int(c.type)) return fmt::format("{}{}", c.bits, suffix);
  if (is_int(c.type)) {
    const int shift = 64 - 8 * prim_size(c.type);
    return fmt::format("{}{}", static_cast<int64_t>(c.bits << shift) >> shift, suffix);
  }
  const double value = value_of(c);
  if (std::isnan(value)) {
    if (bits_of(c.type, std::numeric_limits<double>::quiet_NaN()) == c.bits)
      return fmt::format("nan{}", suffix);
    return fmt::format("bits(0x{:x}){}", c.bits, suffix);
  }
  if (c.type == Prim::kF64) return fmt::format("{}{}", value, suffix);
  // The shortest text of the float reads back to the float; a half is a float too.
  return fmt::format("{}{}", static_cast<float>(value), suffix);
}

std::optional<Const> constant_from_text(std::string_view text) {
  if (text == "true") return Const{Prim::kBool, 1};
  if (text == "false") return Const{Prim::kBool, 0};
  std::optional<Prim> type;
  for (size_t length : {3, 2}) {
    if (text.size() <= length) continue;
    type = prim_from_name(text.substr(text.size() - length));
    if (type) {
      text.remove_suffix(length);
      break;
    }
  }
  if (!type) return std::nullopt;
  const char* end = text.data() + text.size();
  if (text.starts_with("bits(0x") && text.ends_with(')')) {
    uint64_t bits = 0;
    auto [p, ec] = std::from_chars(text.data() + 7, end - 1, bits, 16);
    if (ec != std::errc() || p != end - 1) return std::nullopt;
    return Const{*type, bits & mask_of(*type)};
  }
  if (is_float(*type)) {
    double value = 0;
    std::from_chars_result r{};
    if (*type == Prim::kF64) {
      r = std::from_chars(text.data(), end, value);
    } else {
      float narrow = 0;
      r = std::from_chars(text.data(), end, narrow);
      value = narrow;
    }
    if (r.ec != std::errc() || r.ptr != end) return std::nullopt;
    return Const{*type, bits_of(*type, value)};
  }
  if (is_unsigned_int(*type)) {
    uint64_t value = 0;
    auto [p, ec] = std::from_chars(text.data(), end, value);
    if (ec != std::errc() || p != end) return std::nullopt;
    return Const{*type, value & mask_of(*type)};
  }
  int64_t value = 0;
  auto [p, ec] = std::from_chars(text.data(), end, value);
  if (ec != std::errc() || p != end) return std::nullopt;
  return Const{*type, static_cast<uint64_t>(value) & mask_of(*type)};
}

}  // namespace skald::imp
