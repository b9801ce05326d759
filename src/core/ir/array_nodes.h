// SPDX-License-Identifier: Apache-2.0
// Nodes of the core IR (exp.h) that make arrays, and parts and forms of them.
#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/type.h"

namespace skald::core {

// One dimension of a slice: either a single index (the dimension disappears), or `count` elements
// from `start` with distance `stride` (which may be negative or zero).
struct DimSlice {
  bool is_index = true;
  Operand start = const_i64(0);  // the index, if is_index
  Operand count = const_i64(0);
  Operand stride = const_i64(1);
  friend bool operator==(const DimSlice&, const DimSlice&) = default;
  static auto fields(auto& self) {
    return std::tie(self.is_index, self.start, self.count, self.stride);
  }
};

// An array of the given rows; `row` is their type.  May be empty.
struct ArrayLit {
  static constexpr std::string_view kName = "array";
  Type row;
  std::vector<Operand> elems;
  static auto fields(auto& self) { return std::tie(self.row, self.elems); }
};
// array[slice].  `slice` may be shorter than the rank: the remaining dimensions are taken whole.
// All indices must be in bounds: a check comes before, unless the program is unsafe.  A result that
// is an array shares the memory of `array`.
struct Index {
  static constexpr std::string_view kName = "index";
  Name array;
  std::vector<DimSlice> slice;
  static auto fields(auto& self) { return std::tie(self.array, self.slice); }
};
// `array` with `value` at `slice`.  Consumes `array`.
struct Update {
  static constexpr std::string_view kName = "update";
  Name array;
  std::vector<DimSlice> slice;
  Operand value;
  static auto fields(auto& self) { return std::tie(self.array, self.slice, self.value); }
};
// A dimension of a flat slice: `count` positions, `stride` apart.
struct FlatDim {
  Operand count, stride;
  friend bool operator==(const FlatDim&, const FlatDim&) = default;
  static auto fields(auto& self) { return std::tie(self.count, self.stride); }
};
// The elements of a one-dimensional array at offset + Σ i_k * stride_k, as an array of rank
// dims.size().
struct FlatIndex {
  static constexpr std::string_view kName = "flat_index";
  Name array;
  Operand offset;
  std::vector<FlatDim> dims;
  static auto fields(auto& self) { return std::tie(self.array, self.offset, self.dims); }
};
// The reverse: writes `value` there.  Consumes `array`.
struct FlatUpdate {
  static constexpr std::string_view kName = "flat_update";
  Name array;
  Operand offset;
  std::vector<FlatDim> dims;
  Name value;
  static auto fields(auto& self) {
    return std::tie(self.array, self.offset, self.dims, self.value);
  }
};
// The arrays one after another along dimension `dim`; `size` is the sum of their lengths there.
struct Concat {
  static constexpr std::string_view kName = "concat";
  int dim;
  Operand size;
  std::vector<Name> arrays;
  static auto fields(auto& self) { return std::tie(self.dim, self.size, self.arrays); }
};
// start, start + step, … : `count` elements of an integer type.
struct Iota {
  static constexpr std::string_view kName = "iota";
  Prim type;
  Operand count, start, step;
  static auto fields(auto& self) { return std::tie(self.type, self.count, self.start, self.step); }
};
// `value` (a scalar or array) repeated over new outer dimensions.
struct Replicate {
  static constexpr std::string_view kName = "replicate";
  std::vector<Operand> shape;
  Operand value;
  static auto fields(auto& self) { return std::tie(self.shape, self.value); }
};
// An array with unspecified contents (the interpreter fills it with zeros).
struct Scratch {
  static constexpr std::string_view kName = "scratch";
  Prim elem;
  std::vector<Operand> shape;
  static auto fields(auto& self) { return std::tie(self.elem, self.shape); }
};
// The same elements in row-major order under another shape of the same size.  A reshape to the same
// rank is a coercion: the dimensions are the same numbers under other names (there was a check).
struct Reshape {
  static constexpr std::string_view kName = "reshape";
  Name array;
  std::vector<Operand> shape;
  static auto fields(auto& self) { return std::tie(self.array, self.shape); }
};
// Dimension k of the result is dimension perm[k] of `array`.
struct Rearrange {
  static constexpr std::string_view kName = "rearrange";
  Name array;
  std::vector<int> perm;
  static auto fields(auto& self) { return std::tie(self.array, self.perm); }
};
// A fresh copy that aliases nothing.
struct Copy {
  static constexpr std::string_view kName = "copy";
  Name array;
  static auto fields(auto& self) { return std::tie(self.array); }
};

}  // namespace skald::core
