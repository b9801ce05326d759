// SPDX-License-Identifier: Apache-2.0
#include "core/interp/format.h"

#include <fmt/format.h>

#include <cmath>

#include "core/ir/type.h"

namespace skald::core::interp {

std::string format_scalar(Prim type, uint64_t bits) {
  const Const c{type, bits};
  if (type == Prim::kBool) return bits != 0 ? "true" : "false";
  if (is_signed_int(type)) return fmt::format("{}", int_value(c));
  if (is_int(type)) return fmt::format("{}", bits);
  const double value = float_value(c);
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return type == Prim::kF64 ? fmt::format("{}", value)
                            : fmt::format("{}", static_cast<float>(value));
}

std::string format_typed(Prim type, uint64_t bits) {
  if (type == Prim::kBool) return format_scalar(type, bits);
  const std::string_view name = prim_name(type);
  if (is_float(type)) {
    const double value = float_value({type, bits});
    if (std::isnan(value)) return fmt::format("{}.nan", name);
    if (std::isinf(value)) return fmt::format("{}{}.inf", value < 0 ? "-" : "", name);
  }
  return fmt::format("{}{}", format_scalar(type, bits), name);
}

namespace {

void append(std::string& text, const Array& array, int dim, const std::byte* at) {
  if (dim == array.rank()) {
    text += format_typed(array.elem, load_bits(at, array.elem_size()));
    return;
  }
  text += '[';
  for (int64_t i = 0; i < array.shape[dim]; ++i) {
    if (i > 0) text += ", ";
    append(text, array, dim + 1, at + i * array.step(dim));
  }
  text += ']';
}

}  // namespace

std::string format_array(const Array& array) {
  if (element_count(array.shape) == 0)
    return fmt::format("empty({}{})", shape_text(array.shape), prim_name(array.elem));
  std::string text;
  append(text, array, 0, array.data);
  return text;
}

}  // namespace skald::core::interp
