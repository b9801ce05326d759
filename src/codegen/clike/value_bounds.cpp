// SPDX-License-Identifier: Apache-2.0
#include "codegen/clike/value_bounds.h"

#include <algorithm>
#include <limits>

namespace skald::clike {

using core::BinOpKind;
using core::Operand;
using core::UnOpKind;

void ValueBounds::see(const imp::Let& let) {
  if (let.type != Prim::kF32) return;
  if (const std::optional<double> bound = least(let.exp)) least_.emplace(let.name, *bound);
}

bool ValueBounds::is_normal(const Operand& operand) const {
  const std::optional<double> bound = least(operand);
  // Sums are rounded, so that they may be a little less.
  return bound && *bound > 2 * static_cast<double>(std::numeric_limits<float>::min());
}

std::optional<double> ValueBounds::least(const Operand& operand) const {
  if (const core::Const* c = core::as_const(operand)) {
    const double value = core::float_value(*c);
    return value >= 0 ? std::optional<double>(value) : std::nullopt;
  }
  const auto found = least_.find(*core::as_name(operand));
  return found == least_.end() ? std::nullopt : std::optional<double>(found->second);
}

std::optional<double> ValueBounds::least(const imp::Exp& exp) const {
  if (const auto* n = std::get_if<core::Value>(&exp)) return least(n->arg);
  if (const auto* n = std::get_if<core::UnOp>(&exp))
    return n->op == UnOpKind::kAbs || n->op == UnOpKind::kExp ? std::optional<double>(0)
                                                              : std::nullopt;
  if (const auto* n = std::get_if<core::TernOp>(&exp))
    return n->op == core::TernOpKind::kFma && n->a == n->b ? least(n->c) : std::nullopt;
  const auto* n = std::get_if<core::BinOp>(&exp);
  if (n == nullptr) return std::nullopt;
  if (n->op == BinOpKind::kMul && n->lhs == n->rhs) return 0;
  const std::optional<double> a = least(n->lhs), b = least(n->rhs);
  if (n->op == BinOpKind::kMax && (a || b)) return std::max(a.value_or(0), b.value_or(0));
  if (!a || !b) return std::nullopt;
  if (n->op == BinOpKind::kAdd) return *a + *b;
  return n->op == BinOpKind::kMin ? std::optional<double>(std::min(*a, *b)) : std::nullopt;
}

}  // namespace skald::clike
