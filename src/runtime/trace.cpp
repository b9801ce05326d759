// SPDX-License-Identifier: Apache-2.0
// What compiled code prints for #[trace] and which tuning it sees.
//
// A trace is one line on stderr, in the form that the interpreter uses: floats have as few digits
// as give the same number back.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "runtime/context.h"
#include "support/f16.h"
#include "support/prim.h"

namespace {

using skald::Prim;

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::string float_text(Prim type, double value) {
  const std::string_view name = prim_name(type);
  if (std::isnan(value)) return fmt::format("{}.nan", name);
  if (std::isinf(value)) return fmt::format("{}{}.inf", value < 0 ? "-" : "", name);
  if (type == Prim::kF64) return fmt::format("{}{}", value, name);
  return fmt::format("{}{}", static_cast<float>(value), name);
}

std::string element_text(Prim type, const std::byte* at) {
  switch (type) {
    case Prim::kI8: return fmt::format("{}i8", read<int8_t>(at));
    case Prim::kI16: return fmt::format("{}i16", read<int16_t>(at));
    case Prim::kI32: return fmt::format("{}i32", read<int32_t>(at));
    case Prim::kI64: return fmt::format("{}i64", read<int64_t>(at));
    case Prim::kU8: return fmt::format("{}u8", read<uint8_t>(at));
    case Prim::kU16: return fmt::format("{}u16", read<uint16_t>(at));
    case Prim::kU32: return fmt::format("{}u32", read<uint32_t>(at));
    case Prim::kU64: return fmt::format("{}u64", read<uint64_t>(at));
    case Prim::kF16: return float_text(type, skald::f16_to_f32(read<uint16_t>(at)));
    case Prim::kF32: return float_text(type, read<float>(at));
    case Prim::kF64: return float_text(type, read<double>(at));
    case Prim::kBool: return read<uint8_t>(at) != 0 ? "true" : "false";
  }
  return "?";
}

// Appends the elements of the dimensions from `dim` on and moves `at` behind them.
void append(std::string& text, Prim type, const std::byte*& at, int32_t rank, int32_t dim,
            const int64_t* shape) {
  if (dim == rank) {
    text += element_text(type, at);
    at += prim_size(type);
    return;
  }
  text += '[';
  for (int64_t i = 0; i < shape[dim]; ++i) {
    if (i > 0) text += ", ";
    append(text, type, at, rank, dim + 1, shape);
  }
  text += ']';
}

}  // namespace

int64_t skald_rt_tunable(SkaldContext* ctx, int32_t param, int64_t fallback) {
  const auto row = static_cast<size_t>(param);
  return row < ctx->tuning.size() && ctx->tuning[row] != 0 ? ctx->tuning[row] : fallback;
}

void skald_rt_trace(SkaldContext*, const char* tag, int32_t type, const void* data, int32_t rank,
                    const int64_t* shape) {
  const auto prim = static_cast<Prim>(type);
  std::string text = fmt::format("{}: ", tag);
  int64_t count = 1;
  for (int32_t k = 0; k < rank; ++k) count *= shape[k];
  if (count == 0) {
    text += "empty(";
    for (int32_t k = 0; k < rank; ++k) text += fmt::format("[{}]", shape[k]);
    text += fmt::format("{})", prim_name(prim));
  } else {
    const auto* at = static_cast<const std::byte*>(data);
    append(text, prim, at, rank, 0, shape);
  }
  text += '\n';
  // One call, so that the lines of several threads do not mix.
  std::fputs(text.c_str(), stderr);
}
