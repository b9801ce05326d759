// SPDX-License-Identifier: Apache-2.0
// Arrays that are parts of one other array in another order, such as rotations:
//
//   let {a} = xs[k for d]    let {b} = xs[0 for k]    let {r} = concat(0, n, {a, b})
//
// Parts are slices of the array, the array, and its single elements (a border that is repeated).
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/program.h"

namespace skald::analysis {

struct ArrayPart {
  core::Operand start, count, stride;
};

struct ArrayParts {
  core::Name source;
  std::vector<ArrayPart> parts;
  std::vector<core::Name> tokens;
  core::Type row;
};

// By name: the arrays of the block that are such parts.
std::unordered_map<core::Name, ArrayParts> find_rearranged(const core::Body& body);
std::unordered_set<core::Name> rearranged_names(const core::Body& body);

}  // namespace skald::analysis
