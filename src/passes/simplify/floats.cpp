// SPDX-License-Identifier: Apache-2.0
// Floating-point arithmetic: only what holds for all values, signed zeros and infinities included.
//
//   float-neutral   x * 1 = x / 1 = x - 0 = x + -0 = x
//   power           x ** 0 = 1;  x ** 1 = x;  x ** 2 = x * x;  x ** -1 = 1 / x
//
// (x + 0 is not x for x = -0, x * 0 not 0 for infinities, and x ** 0.5 not the root of -0.)
#include <cmath>

#include "core/ir/visit.h"
#include "core/scalar/scalar.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

// Is it this number, with this sign?
bool is_number(const Operand& o, double value) {
  const Const* c = as_const(o);
  return c != nullptr && is_float(c->type) && float_value(*c) == value &&
         std::signbit(float_value(*c)) == std::signbit(value);
}

std::optional<Rewrite> float_neutral(const Stmt& stmt, Env&) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  using enum BinOpKind;
  if ((e.op == kMul || e.op == kDiv) && is_number(e.rhs, 1)) return equals(e.lhs);
  if (e.op == kMul && is_number(e.lhs, 1)) return equals(e.rhs);
  if (e.op == kSub && is_number(e.rhs, 0)) return equals(e.lhs);
  if (e.op == kAdd && is_number(e.rhs, -0.0)) return equals(e.lhs);
  if (e.op == kAdd && is_number(e.lhs, -0.0)) return equals(e.rhs);
  return std::nullopt;
}

std::optional<Rewrite> power(const Stmt& stmt, Env&) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  using enum BinOpKind;
  if (e.op != kPow || !is_float(e.type)) return std::nullopt;
  if (is_number(e.rhs, 0) || is_number(e.rhs, -0.0)) return equals(const_float(e.type, 1));
  if (is_number(e.rhs, 1)) return equals(e.lhs);
  if (is_number(e.rhs, 2)) return becomes(BinOp{kMul, e.type, e.lhs, e.lhs});
  if (is_number(e.rhs, -1)) return becomes(BinOp{kDiv, e.type, const_float(e.type, 1), e.lhs});
  return std::nullopt;
}

}  // namespace

Rules float_rules() {
  constexpr size_t kBinOp = node_index<BinOp>();
  return {{"float-neutral", kBinOp, float_neutral}, {"power", kBinOp, power}};
}

}  // namespace skald::passes::simplify_rules
