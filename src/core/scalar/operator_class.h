// SPDX-License-Identifier: Apache-2.0
// What operators cost: to which row of machine/operator_costs.h each of them belongs.
#pragma once

#include <variant>

#include "core/ir/scalar_nodes.h"
#include "core/scalar/slow_ops.h"
#include "machine/operator_costs.h"

namespace skald::core {

using machine::OperatorClass;

constexpr bool is_rounding(UnOpKind op) {
  return op == UnOpKind::kCeil || op == UnOpKind::kFloor || op == UnOpKind::kTrunc ||
         op == UnOpKind::kRound;
}

constexpr OperatorClass operator_class(const UnOp& e) {
  if (!is_float(e.type) || e.op < UnOpKind::kSqrt || is_rounding(e.op))
    return OperatorClass::kSimple;
  const bool root = e.op == UnOpKind::kSqrt || e.op == UnOpKind::kRsqrt;
  return root ? OperatorClass::kSquareRoot : OperatorClass::kFunction;
}

inline OperatorClass operator_class(const BinOp& e) {
  if (is_division(e.op)) {
    if (is_float(e.type))
      return e.op == BinOpKind::kDiv ? OperatorClass::kDivision : OperatorClass::kFunction;
    // By a number that is known it is a product, of which the upper half is needed.
    const bool is_long = prim_size(e.type) == 8 && as_const(e.rhs) == nullptr;
    return is_long ? OperatorClass::kLongDivision : OperatorClass::kDivision;
  }
  const bool function = is_function(e.op) && e.op != BinOpKind::kCopysign;
  return function ? OperatorClass::kFunction : OperatorClass::kSimple;
}

constexpr OperatorClass operator_class(const Convert& e) {
  return is_float(e.from) && is_int(e.to) ? OperatorClass::kToInteger : OperatorClass::kSimple;
}

// Of an expression of core or imp; what is no operator is simple.
template <class Exp>
OperatorClass operator_class(const Exp& exp) {
  if (const auto* e = std::get_if<UnOp>(&exp)) return operator_class(*e);
  if (const auto* e = std::get_if<BinOp>(&exp)) return operator_class(*e);
  if (const auto* e = std::get_if<Convert>(&exp)) return operator_class(*e);
  return OperatorClass::kSimple;
}

// Does it take as long as several others?
template <class Exp>
bool is_slow(const Exp& exp) {
  return operator_class(exp) >= OperatorClass::kDivision;
}

// Is it a division of integers by a number that is known?
template <class Exp>
bool divides_by_constant(const Exp& exp) {
  const auto* e = std::get_if<BinOp>(&exp);
  return e != nullptr && is_int(e->type) && is_division(e->op) && as_const(e->rhs) != nullptr;
}

}  // namespace skald::core
