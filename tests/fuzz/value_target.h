// SPDX-License-Identifier: Apache-2.0
// Reads all values from bytes, writes them in both formats, and reads those back.
#pragma once

#include <cstring>
#include <vector>

#include "fuzz/fuzz.h"
#include "runtime/values/value_reader.h"
#include "runtime/values/value_writer.h"

namespace skald::fuzz {

inline bool same_bits(const runtime::Value& a, const runtime::Value& b) {
  return a.type == b.type && a.shape == b.shape && a.data.bytes() == b.data.bytes() &&
         (a.data.bytes() == 0 ||
          std::memcmp(a.data.data(), b.data.data(), static_cast<size_t>(a.data.bytes())) == 0);
}

inline bool has_nan(const runtime::Value& value) {
  const int mantissa = value.type == Prim::kF16 ? 10 : value.type == Prim::kF32 ? 23 : 52;
  if (!is_float(value.type)) return false;
  const uint64_t infinity = ((uint64_t{1} << (prim_bits(value.type) - 1 - mantissa)) - 1)
                            << mantissa;
  for (int64_t i = 0; i < value.element_count(); ++i) {
    const uint64_t magnitude =
        value.element_bits(i) & ((uint64_t{1} << (prim_bits(value.type) - 1)) - 1);
    if (magnitude > infinity) return true;
  }
  return false;
}

inline void read_back(const runtime::Value& value, bool binary) {
  std::string bytes;
  {
    runtime::Output out(bytes);
    if (binary)
      write_binary(out, value);
    else
      write_text(out, value);
    SKALD_CHECK(bool(out.flush()), "writing to memory fails");
  }
  const Result<runtime::Value, runtime::ReadError> again =
      runtime::ValueReader(std::string_view(bytes)).read();
  SKALD_CHECK(bool(again), "what was written cannot be read: {}", again.error().text());
  SKALD_CHECK(same_bits(value, *again), "what was written is read as another value");
}

inline void read_everything(std::string_view bytes) {
  runtime::ValueReader reader(bytes);
  while (!reader.at_end()) {
    const Result<runtime::Value, runtime::ReadError> value = reader.read();
    if (!value) {
      (void)value.error().text();
      return;
    }
    read_back(*value, true);
    // The text format has one NaN only.
    if (!has_nan(*value)) read_back(*value, false);
  }
}

}  // namespace skald::fuzz
