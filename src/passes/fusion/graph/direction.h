// SPDX-License-Identifier: Apache-2.0
// How nests of reductions go through the matrices they read.
//
//   map i: reduce k: a[i, k]    along the rows: what follows in a sum lies side by side
//   map i: reduce k: a[k, i]    across them: what neighbouring sums need does
//
// Each is lowered in a way of its own, which is lost if one operation does both.
#pragma once

#include "core/ir/program.h"

namespace skald::passes::fusion {

struct Direction {
  bool along = false, across = false;
};
// Of a SOAC with SOACs that reduce inside.
Direction direction_of(const core::Lambda& nest);
// Of a kernel over a grid with reductions.
Direction direction_of(const core::Kernel& kernel);

inline bool are_crossed(const Direction& a, const Direction& b) {
  return (a.along && !a.across && b.across && !b.along) ||
         (a.across && !a.along && b.along && !b.across);
}

}  // namespace skald::passes::fusion
