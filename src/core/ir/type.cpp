// SPDX-License-Identifier: Apache-2.0
#include "core/ir/type.h"

#include "support/bug.h"
#include "support/f16.h"

namespace skald::core {

Const const_int(Prim type, int64_t value) {
  SKALD_CHECK(is_int(type), "integer constant of type {}", prim_name(type));
  const int bits = prim_bits(type);
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  return {type, static_cast<uint64_t>(value) & mask};
}

Const const_bool(bool value) {
  return {Prim::kBool, value ? uint64_t{1} : uint64_t{0}};
}

Const const_float(Prim type, double value) {
  switch (type) {
    case Prim::kF16: return {type, f64_to_f16(value)};
    case Prim::kF32: return {type, std::bit_cast<uint32_t>(static_cast<float>(value))};
    case Prim::kF64: return {type, std::bit_cast<uint64_t>(value)};
    default: SKALD_BUG("float constant of type {}", prim_name(type));
  }
}

int64_t int_value(const Const& c) {
  switch (c.type) {
    case Prim::kI8: return static_cast<int8_t>(c.bits);
    case Prim::kI16: return static_cast<int16_t>(c.bits);
    case Prim::kI32: return static_cast<int32_t>(c.bits);
    default: return static_cast<int64_t>(c.bits);
  }
}

double float_value(const Const& c) {
  switch (c.type) {
    case Prim::kF16: return f16_to_f32(static_cast<uint16_t>(c.bits));
    case Prim::kF32: return std::bit_cast<float>(static_cast<uint32_t>(c.bits));
    case Prim::kF64: return std::bit_cast<double>(c.bits);
    default: SKALD_BUG("float_value of a constant of type {}", prim_name(c.type));
  }
}

std::string space_name(Space space) {
  return space == Space::kHost ? "the host" : "device " + std::to_string(device_number(space));
}

Type row_type(const Type& array, int dims) {
  SKALD_CHECK(array.kind == Type::kArray && dims >= 0 && dims <= array.rank(),
              "row of {} dimensions of a type of rank {}", dims, array.rank());
  Type row = array;
  row.shape.erase(row.shape.begin(), row.shape.begin() + dims);
  // A scalar is nowhere in particular.
  if (row.shape.empty()) row.space = Space::kHost;
  return row;
}

Type array_of(const Operand& dim, const Type& row) {
  return array_of(std::vector<Operand>{dim}, row);
}

Type array_of(const std::vector<Operand>& dims, const Type& row) {
  SKALD_CHECK(row.kind == Type::kArray, "array of something that is not an array or scalar");
  Type array = row;
  array.shape.insert(array.shape.begin(), dims.begin(), dims.end());
  return array;
}

}  // namespace skald::core
