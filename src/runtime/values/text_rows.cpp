// SPDX-License-Identifier: Apache-2.0
#include "runtime/values/text_rows.h"

#include <charconv>
#include <cstring>
#include <limits>

#include "runtime/values/text_scanner.h"
#include "support/f16.h"

namespace skald::runtime {

namespace {

// No element in its common form is longer.
constexpr ptrdiff_t kLongestElement = 80;

// Each parser reads one element at `p` (the window ends at `limit`, where there is a 0) into `out`,
// without its suffix, and returns where it ends, or null.
template <class T>
const char* parse_element(const char* p, const char*, T& out, std::true_type /*integer*/) {
  const bool negative = *p == '-';
  if (negative) ++p;
  const char* first = p;
  uint64_t magnitude = 0;
  for (; is_digit(*p); ++p) magnitude = magnitude * 10 + static_cast<uint64_t>(*p - '0');
  // Up to 19 digits fit.  20 digits fit if the first is 1 and the sum did not wrap around.
  const ptrdiff_t digits = p - first;
  if (digits == 0 || digits > 20) return nullptr;
  if (digits == 20 && (*first != '1' || magnitude < 10'000'000'000'000'000'000u)) return nullptr;
  const auto largest = static_cast<uint64_t>(std::numeric_limits<T>::max());
  if (magnitude > (negative ? (std::is_signed_v<T> ? largest + 1 : 0) : largest)) return nullptr;
  out = static_cast<T>(negative ? 0 - magnitude : magnitude);
  return p;
}

template <class T>
const char* parse_element(const char* p, const char* limit, T& out, std::false_type /*float*/) {
  // from_chars would also take "inf" and "nan".
  if (!is_digit(p[*p == '-' ? 1 : 0])) return nullptr;
  const std::from_chars_result end = std::from_chars(p, limit, out);
  return end.ec == std::errc() ? end.ptr : nullptr;
}

// A distinct type, so that bools have a parser of their own.
enum class Bool : uint8_t { kFalse, kTrue };

const char* parse_element(const char* p, const char* limit, Bool& out, std::false_type) {
  if (limit - p < 5) return nullptr;
  if (std::memcmp(p, "true", 4) == 0) {
    out = Bool::kTrue;
    return p + 4;
  }
  out = Bool::kFalse;
  return std::memcmp(p, "false", 5) == 0 ? p + 5 : nullptr;
}

// `Parsed` is what is parsed, `Stored` what is stored; they differ for f16.
template <class Parsed, class Stored, class Convert>
RowResult read_numbers(Input& input, std::string_view suffix, ElementSink& sink,
                       const Convert& convert) {
  RowResult row;
  const char* p = input.cursor();
  while (true) {
    if (input.limit() - p < kLongestElement && !input.window_is_last()) {
      input.move_to(p);
      input.want(kLongestElement);
      p = input.cursor();
    }
    if (sink.room() < sizeof(Stored) && !sink.reserve(sizeof(Stored))) break;
    Parsed parsed;
    const char* end = parse_element(p, input.limit(), parsed, std::is_integral<Parsed>());
    if (end == nullptr) break;
    const auto left = static_cast<size_t>(input.limit() - end);
    if (!suffix.empty() && *end == suffix[0] && left > suffix.size() &&
        std::memcmp(end, suffix.data(), suffix.size()) == 0)
      end += suffix.size();
    if (*end != ',' && *end != ']' && !is_space(*end)) break;
    const Stored stored = convert(parsed);
    std::memcpy(sink.end(), &stored, sizeof stored);
    sink.add(sizeof stored);
    ++row.count;
    row.after_comma = false;
    p = end;
    while (is_space(*p)) ++p;
    if (*p != ',') break;
    row.after_comma = true;
    ++p;
    while (is_space(*p)) ++p;
  }
  input.move_to(p);
  return row;
}

template <class T>
RowResult read_plain(Input& input, Prim type, ElementSink& sink) {
  return read_numbers<T, T>(input, prim_name(type), sink, [](T x) { return x; });
}

}  // namespace

RowResult read_row(Input& input, Prim type, ElementSink& sink) {
  switch (type) {
    case Prim::kBool: return read_numbers<Bool, Bool>(input, "", sink, [](Bool x) { return x; });
    case Prim::kI8: return read_plain<int8_t>(input, type, sink);
    case Prim::kI16: return read_plain<int16_t>(input, type, sink);
    case Prim::kI32: return read_plain<int32_t>(input, type, sink);
    case Prim::kI64: return read_plain<int64_t>(input, type, sink);
    case Prim::kU8: return read_plain<uint8_t>(input, type, sink);
    case Prim::kU16: return read_plain<uint16_t>(input, type, sink);
    case Prim::kU32: return read_plain<uint32_t>(input, type, sink);
    case Prim::kU64: return read_plain<uint64_t>(input, type, sink);
    case Prim::kF16:
      return read_numbers<double, uint16_t>(input, "f16", sink,
                                            [](double x) { return f64_to_f16(x); });
    case Prim::kF32: return read_plain<float>(input, type, sink);
    case Prim::kF64: return read_plain<double>(input, type, sink);
  }
  return {};
}

}  // namespace skald::runtime
