// SPDX-License-Identifier: Apache-2.0
// Compares a program's results with what a test expects.
//
// Types and shapes must be equal; integers and bools exactly equal.  Floats: a NaN equals a NaN, an
// infinity equals an infinity of the same sign, other numbers may differ by 0.002 times the largest
// finite expected number of the array, and at least by 0.002.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "runtime/values/value.h"

namespace skald::runtime {

// Nothing if equal; else the first difference: "element [1][2]: expected 3i32, got 4i32".
std::optional<std::string> compare_values(const Value& expected, const Value& got);
// Also compares how many there are, and says which value differs.
std::optional<std::string> compare_values(std::span<const Value> expected,
                                          std::span<const Value> got);

}  // namespace skald::runtime
