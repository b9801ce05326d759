// SPDX-License-Identifier: Apache-2.0
// Short ways to write arguments, to run a program given as text, and to show its results.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/interp/format.h"
#include "core/interp/interp.h"
#include "core/scalar/scalar.h"
#include "core/text/parse.h"
#include "core/verify/verify.h"
#include "source/source.h"

namespace skald::core::interp_test {

inline ArrayValue value(Prim elem, std::vector<int64_t> shape, const std::vector<uint64_t>& bits) {
  const auto size = static_cast<size_t>(prim_size(elem));
  ArrayValue v{elem, std::move(shape),
               std::make_shared<std::vector<std::byte>>(bits.size() * size)};
  for (size_t k = 0; k < bits.size(); ++k)
    interp::store_bits(v.data->data() + k * size, static_cast<int>(size), bits[k]);
  return v;
}
inline ArrayValue scalar(Prim elem, uint64_t bits) {
  return value(elem, {}, {bits});
}
inline ArrayValue i32(int32_t x) {
  return scalar(Prim::kI32, static_cast<uint32_t>(x));
}
inline ArrayValue i64(int64_t x) {
  return scalar(Prim::kI64, static_cast<uint64_t>(x));
}
inline ArrayValue f64(double x) {
  return scalar(Prim::kF64, std::bit_cast<uint64_t>(x));
}
inline ArrayValue i32s(std::vector<int64_t> shape, const std::vector<int32_t>& xs) {
  std::vector<uint64_t> bits;
  for (int32_t x : xs) bits.push_back(static_cast<uint32_t>(x));
  return value(Prim::kI32, std::move(shape), bits);
}
inline ArrayValue i64s(std::vector<int64_t> shape, const std::vector<int64_t>& xs) {
  std::vector<uint64_t> bits;
  for (int64_t x : xs) bits.push_back(static_cast<uint64_t>(x));
  return value(Prim::kI64, std::move(shape), bits);
}

inline std::string show(const ArrayValue& v) {
  interp::Array array;
  array.elem = v.elem;
  array.shape = interp::Dims(static_cast<int>(v.shape.size()));
  std::copy(v.shape.begin(), v.shape.end(), array.shape.data());
  array.strides = interp::dense_strides(array.shape);
  array.data = v.data->data();
  return interp::format_array(array);
}

// The results separated by blanks, or "error: …" with the backtrace on further lines.
inline std::string run(const std::string& text, std::vector<ArrayValue> args,
                       std::string_view fn = "main", const InterpOptions& options = {}) {
  source::SourceMap sources;
  const auto parsed = parse(sources.add("test.core", text), sources);
  if (!parsed) return "does not parse: " + parsed.error().what;
  const auto results = interpret(*parsed, fn, std::move(args), options);
  if (!results) {
    const RuntimeError& error = results.error();
    return "error: " + error.message + (error.backtrace.empty() ? "" : "\n" + error.backtrace);
  }
  std::string shown;
  for (const ArrayValue& v : *results) shown += (shown.empty() ? "" : " ") + show(v);
  return shown;
}

}  // namespace skald::core::interp_test
