// SPDX-License-Identifier: Apache-2.0
// Which iterations of a nest write to which places.
#pragma once

#include "passes/differentiate/sums/sites.h"

namespace skald::passes::ad {

// An index that is always the same, or the number of an iteration of a map plus
// a constant, perhaps brought back into the array at its ends: min(n-1, max(0,
// i + offset)).
struct WrittenDim {
  std::optional<Operand> fixed;  // the same place in all iterations; the rest says nothing then
  size_t level = 0;
  Operand width = const_i64(0);  // of the map; that much of the array is written
  int64_t offset = 0;
  bool from_below = false, from_above = false;
};

struct WrittenShape {
  std::vector<WrittenDim> dims;  // of the array
  std::vector<size_t> summed;    // maps that no index names
  bool is_part = false;          // not all of the array is written
};

// What was seen on the way to a nest.
struct Surroundings {
  NameSet numbers;            // 0, 1, 2, …
  NameSet zeros;              // arrays of zeros
  NameMap<Operand> less_one;  // n - 1: n
  void note(const Stmt& stmt);
};

std::optional<WrittenShape> written_shape(const Site& site, const AccInput& input,
                                          const NameMap<Definition>& inside,
                                          const Surroundings& around);

// The iterations that write to place `place` of a dimension: numbers, and
// conditions (no operand: always).
struct Writer {
  Operand iteration;
  std::optional<Operand> condition;
  bool exists = false;  // is there such an iteration, whether the condition holds or not?
};
std::vector<Writer> writers(const WrittenDim& dim, const Operand& place, Emit& out);

}  // namespace skald::passes::ad
