// SPDX-License-Identifier: Apache-2.0
// Operators that take as long as many others.
#pragma once

#include "core/ir/ops.h"

namespace skald::core {

constexpr bool is_division(BinOpKind op) {
  return op == BinOpKind::kDiv || op == BinOpKind::kMod || op == BinOpKind::kQuot ||
         op == BinOpKind::kRem;
}
// Powers, and functions of two floats.
constexpr bool is_function(BinOpKind op) {
  return op == BinOpKind::kPow || op >= BinOpKind::kAtan2;
}
// Of one float, roots not among them.
constexpr bool is_function(UnOpKind op, Prim type) {
  return is_float(type) && op > UnOpKind::kSqrt;
}

}  // namespace skald::core
