// SPDX-License-Identifier: Apache-2.0
#include "source/text_width.h"

#include <algorithm>
#include <iterator>

namespace skald::source {

namespace {

struct Range {
  char32_t first, last;
};

// Sorted.  Marks that are drawn over the character before, joiners and variation selectors.
constexpr Range kNoWidth[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x0610, 0x061a},  {0x064b, 0x065f},
    {0x06d6, 0x06dc}, {0x093a, 0x093c}, {0x0941, 0x0948},   {0x094d, 0x094d},  {0x0e31, 0x0e31},
    {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff},  {0x200b, 0x200d},
    {0x2060, 0x2064}, {0x20d0, 0x20ff}, {0x302a, 0x302d},   {0x3099, 0x309a},  {0xfe00, 0xfe0f},
    {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0x1f3fb, 0x1f3ff}, {0xe0100, 0xe01ef}};

// Sorted.  East Asian wide and full-width characters, and pictures.
constexpr Range kWide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},
    {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26a1, 0x26a1},   {0x2705, 0x2705},
    {0x270a, 0x270b},   {0x2728, 0x2728},   {0x274c, 0x274c},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2b50, 0x2b50},   {0x2e80, 0x303e},   {0x3041, 0x33ff},
    {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},   {0xa960, 0xa97c},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
    {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
    {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};

template <size_t N>
bool is_in(const Range (&ranges)[N], char32_t c) {
  const auto* it = std::ranges::lower_bound(ranges, c, {}, &Range::last);
  return it != std::end(ranges) && it->first <= c;
}

bool is_bidirectional_control(char32_t c) {
  return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

}  // namespace

char32_t next_character(std::string_view text, size_t& at) {
  const auto lead = static_cast<uint8_t>(text[at]);
  const size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (length == 0 || at + length > text.size()) {
    ++at;
    return 0xfffd;
  }
  char32_t c = length == 1 ? lead : lead & (0x7f >> length);
  for (size_t k = 1; k < length; ++k) {
    const auto byte = static_cast<uint8_t>(text[at + k]);
    if ((byte & 0xc0) != 0x80) {
      ++at;
      return 0xfffd;
    }
    c = (c << 6) | (byte & 0x3f);
  }
  at += length;
  return c;
}

uint32_t character_width(char32_t c) {
  if (c < 0x300) return 1;
  if (is_in(kNoWidth, c)) return 0;
  return is_in(kWide, c) ? 2 : 1;
}

uint32_t display_width(std::string_view text) {
  uint32_t width = 0;
  for (size_t at = 0; at < text.size();) width += character_width(next_character(text, at));
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = next_character(text, at);
    if (c == '\t') {
      out += ' ';
    } else if (c == '\n' || (c >= 0x20 && c < 0x7f)) {
      out += static_cast<char>(c);
    } else if (c < 0x20 || c == 0x7f) {
      // Unicode has a picture for each.
      out += "\xe2\x90";
      out += static_cast<char>(0x80 + (c == 0x7f ? 0x21 : c));
    } else if ((c >= 0x80 && c < 0xa0) || is_bidirectional_control(c) || c == 0xfffd) {
      out += kReplacement;
    } else {
      out += text.substr(begin, at - begin);
    }
  }
  return out;
}

}  // namespace skald::source
