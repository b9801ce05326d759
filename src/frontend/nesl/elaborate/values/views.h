// SPDX-License-Identifier: Apache-2.0
// Sequences in the value of one element of an apply-to-each that are parts of sequences made before
// it:
//
//   {subseq(text, a, b) : a in starts; b in ends}
//
// The result needs where each part begins and how long it is, and shares the rest, as filtered and
// gathered sequences do.  Only where rows are put together they are stored anew (`compacted`).
#pragma once

#include "frontend/nesl/elaborate/values/columns.h"

namespace skald::nesl {

// What one such part is taken from, and where it begins there.
struct View {
  Value whole;
  Operand start, length;
};

class Views {
 public:
  // Names from this one on belong to the element.
  explicit Views(uint32_t first_inner_name) : first_inner_name_(first_inner_name) {}

  // The value with a pair of start and length in place of each part.
  Value without_parts(Code& code, const Value& value);
  // The sequence whose elements are such values, with the parts.  `entries` are what the elements
  // of `arrays` are called inside.
  Value with_parts(const ShapeRef& element, const Value& sequence,
                   const std::vector<Operand>& entries, const std::vector<Operand>& arrays) const;

 private:
  std::optional<View> view_of(Code& code, const Value& sequence) const;
  void take_out(Code& code, const ShapeRef& shape, const Value& value, size_t& at, Value& out);
  void put_back(const ShapeRef& shape, const Value& sequence, size_t& at, size_t& next,
                const std::vector<Operand>& entries, const std::vector<Operand>& arrays,
                std::vector<Operand>& columns) const;

  uint32_t first_inner_name_;
  // For each sequence of the value, in order.
  std::vector<std::optional<View>> views_;
};

}  // namespace skald::nesl
