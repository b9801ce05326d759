// SPDX-License-Identifier: Apache-2.0
#include "runtime/values/value_writer.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "support/f16.h"

namespace skald::runtime {

namespace {

// No scalar is longer: "-1.2345678901234567e-308f64" and a separator.
constexpr size_t kLongestScalar = 48;

char* put(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

// The same characters as printf's %.<digits>g.
char* put_float(char* to, double value, int digits, std::string_view type) {
  if (std::isnan(value)) return put(put(to, type), ".nan");
  if (std::isinf(value)) return put(put(put(to, value < 0 ? "-" : ""), type), ".inf");
  to = std::to_chars(to, to + kLongestScalar, value, std::chars_format::general, digits).ptr;
  return put(to, type);
}

template <class T>
char* put_int(char* to, T value, std::string_view type) {
  return put(std::to_chars(to, to + kLongestScalar, value).ptr, type);
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Writes the scalar at `from`; there is room for kLongestScalar characters.
char* put_scalar(char* to, Prim type, const std::byte* from) {
  switch (type) {
    case Prim::kBool: return put(to, load<uint8_t>(from) ? "true" : "false");
    case Prim::kI8: return put_int(to, int{load<int8_t>(from)}, "i8");
    case Prim::kI16: return put_int(to, load<int16_t>(from), "i16");
    case Prim::kI32: return put_int(to, load<int32_t>(from), "i32");
    case Prim::kI64: return put_int(to, load<int64_t>(from), "i64");
    case Prim::kU8: return put_int(to, unsigned{load<uint8_t>(from)}, "u8");
    case Prim::kU16: return put_int(to, load<uint16_t>(from), "u16");
    case Prim::kU32: return put_int(to, load<uint32_t>(from), "u32");
    case Prim::kU64: return put_int(to, load<uint64_t>(from), "u64");
    case Prim::kF16: return put_float(to, f16_to_f32(load<uint16_t>(from)), 9, "f16");
    case Prim::kF32: return put_float(to, load<float>(from), 9, "f32");
    case Prim::kF64: return put_float(to, load<double>(from), 17, "f64");
  }
  return to;
}

class TextWriter {
 public:
  TextWriter(Output& out, const Value& value, int64_t elements)
      : out_(out), value_(value), next_(value.data.data()), left_(elements) {}

  void array(size_t depth) {
    const int64_t count = value_.shape[depth];
    out_.write("[");
    for (int64_t i = 0; i < count && left_ > 0; ++i) {
      if (i != 0) out_.write(", ");
      if (depth + 1 < value_.shape.size())
        array(depth + 1);
      else
        element();
    }
    if (left_ > 0 || next_ == value_.data.data() + value_.data.bytes()) out_.write("]");
  }

 private:
  void element() {
    out_.advance(put_scalar(out_.room(kLongestScalar), value_.type, next_));
    next_ += prim_size(value_.type);
    --left_;
  }

  Output& out_;
  const Value& value_;
  const std::byte* next_;
  int64_t left_;
};

// At most the first `elements` elements; closing brackets are only written after the last one.
void write_elements(Output& out, const Value& value, int64_t elements) {
  if (value.rank() == 0) {
    out.advance(put_scalar(out.room(kLongestScalar), value.type, value.data.data()));
  } else if (value.data.bytes() == 0) {
    out.write(fmt::format("empty({})", type_text(value.type, value.shape)));
  } else {
    TextWriter(out, value, elements).array(0);
  }
}

}  // namespace

void write_text(Output& out, const Value& value) {
  write_elements(out, value, value.element_count());
}

void write_binary(Output& out, const Value& value) {
  SKALD_CHECK(value.rank() <= 255, "a value of rank {}", value.rank());
  char header[7] = {'b', 2, static_cast<char>(value.rank()), ' ', ' ', ' ', ' '};
  const std::string_view name = prim_name(value.type);
  put(header + sizeof header - name.size(), name);
  out.write({header, sizeof header});
  out.write({reinterpret_cast<const char*>(value.shape.data()), 8 * value.shape.size()});
  out.write(
      {reinterpret_cast<const char*>(value.data.data()), static_cast<size_t>(value.data.bytes())});
}

std::string scalar_text(Prim type, uint64_t bits) {
  char text[kLongestScalar];
  const auto* from = reinterpret_cast<const std::byte*>(&bits);
  return {text, put_scalar(text, type, from)};
}

std::string value_text(const Value& value, size_t limit) {
  std::string text;
  {
    Output out(text);
    // Every element takes at least two characters and a separator.
    const auto most = static_cast<int64_t>(std::min<size_t>(limit, INT64_MAX - 4) / 4 + 1);
    write_elements(out, value, std::min(value.element_count(), most));
  }
  if (text.size() <= limit) return text;
  text.resize(limit);
  return text + "…";
}

}  // namespace skald::runtime
