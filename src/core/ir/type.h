// SPDX-License-Identifier: Apache-2.0
// Operands and types of the core IR.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "core/ir/name.h"
#include "support/prim.h"

namespace skald::core {

using skald::Prim;

// A scalar constant.  `bits` holds the value in its low bytes, zero-extended: two's complement for
// integers, IEEE for floats, 0 or 1 for bool.  So equal constants have equal bits.
struct Const {
  Prim type = Prim::kI32;
  uint64_t bits = 0;
  friend bool operator==(const Const&, const Const&) = default;
};

Const const_int(Prim type, int64_t value);  // any integer type; wraps
Const const_bool(bool value);
// Any float type; rounds once.
Const const_float(Prim type, double value);
inline Const const_i64(int64_t value) {
  return {Prim::kI64, static_cast<uint64_t>(value)};
}
// The value of an integer constant, sign- or zero-extended by its type.
int64_t int_value(const Const& c);
// The value of a float constant, exact.
double float_value(const Const& c);

// What an expression works on: a name or a constant, never a nested expression.
using Operand = std::variant<Name, Const>;

inline const Name* as_name(const Operand& o) {
  return std::get_if<Name>(&o);
}
inline const Const* as_const(const Operand& o) {
  return std::get_if<Const>(&o);
}
// Found before std::as_const, which argument-dependent lookup would prefer.
inline const Const* as_const(Operand& o) {
  return std::get_if<Const>(&o);
}
// What is inside a temporary is gone when the caller looks at it.
const Name* as_name(const Operand&& o) = delete;
const Const* as_const(const Operand&& o) = delete;

// Where arrays lie and kernels run: on the host, or on device number k.  Up to stage SOACS all is
// on the host.  For a target whose kernels have a memory of their own, the pass `place` decides; an
// array that is needed in another space is copied there by a statement.
enum class Space : uint8_t { kHost = 0, kDevice0 = 1 };
// Programs have no more devices than this.
inline constexpr int kMaxDevices = 64;

constexpr Space device_space(int number) {
  return static_cast<Space>(number + 1);
}
// Only of a device.
constexpr int device_number(Space space) {
  return static_cast<int>(space) - 1;
}
std::string space_name(Space space);  // "the host", "device 0", …

// The type of a value.
//
//   kArray   an array of rank shape.size(), or a scalar if the shape is empty: [n_0][4]f32.
//            Dimensions are i64 operands, so a size may be a variable.
//   kToken   the result of a check; a statement that lists it runs only after the check passed.
//   kAcc     an accumulator: a write-only array under construction (see WithAcc in exp.h).
//            `shape` is the index space, `acc_elems` the types of what is stored at one index.
//   kMem     a memory block (stage MEMORY only).
//
// `space` says where arrays and blocks lie, from stage KERNELS on.
struct Type {
  enum Kind : uint8_t { kArray, kToken, kAcc, kMem };
  Kind kind = kArray;
  Prim elem = Prim::kI32;
  std::vector<Operand> shape = {};
  std::vector<Type> acc_elems = {};
  Space space = Space::kHost;

  bool is_scalar() const { return kind == kArray && shape.empty(); }
  bool is_array() const { return kind == kArray && !shape.empty(); }
  int rank() const { return static_cast<int>(shape.size()); }
  friend bool operator==(const Type&, const Type&) = default;
  static auto fields(auto& self) {
    return std::tie(self.kind, self.elem, self.shape, self.acc_elems, self.space);
  }
};

inline Type scalar_type(Prim elem) {
  return {Type::kArray, elem};
}
inline Type token_type() {
  return {Type::kToken};
}
inline Type mem_type(Space space = Space::kHost) {
  return {Type::kMem, Prim::kI32, {}, {}, space};
}
// The type of one row of an array.
Type row_type(const Type& array, int dims = 1);
// An array with `dim` (or several dims) in front of `row`'s shape.
Type array_of(const Operand& dim, const Type& row);
Type array_of(const std::vector<Operand>& dims, const Type& row);

// Stage MEMORY: where an array lives.  Element (i0, i1, …) is at `offset + Σ i_k * strides[k]`,
// counted in elements from the start of `block`.  Empty `strides` mean dense row-major order of the
// array's own shape (the common case, and the only one whose strides need not be in scope);
// otherwise there is one per dimension.
struct MemLoc {
  Name block = {};
  Operand offset = const_i64(0);
  std::vector<Operand> strides = {};
  friend bool operator==(const MemLoc&, const MemLoc&) = default;
  static auto fields(auto& self) { return std::tie(self.block, self.offset, self.strides); }
};

// A bound name with its type.  `unique`: the array may be consumed (parameters of functions and
// loops) or is fresh (results).  `mem` is empty before stage MEMORY and for scalars.
struct Param {
  Name name = {};
  Type type = {};
  bool unique = false;
  std::vector<MemLoc> mem = {};  // none or one
  static auto fields(auto& self) { return std::tie(self.name, self.type, self.unique, self.mem); }
};

// One result of a lambda or function.  A name is given only if a later result's type mentions it:
//   {m_3 : i64, [m_3]f32}
struct Ret {
  Name name = {};
  Type type = {};
  bool unique = false;
  static auto fields(auto& self) { return std::tie(self.name, self.type, self.unique); }
};

}  // namespace skald::core
