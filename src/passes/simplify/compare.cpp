// SPDX-License-Identifier: Apache-2.0
// Comparisons.
//
//   compare-same     x == x, x ≤ x: true;  x != x, x < x: false (not on floats)
//   compare-select   select(c, 0, 1) == 0 = c: what a filter's class is made of
//   compare-range    decided by what is known about the operands: 0 ≤ i for an index i
//   compare-bool     c == true = c
#include "core/ir/visit.h"
#include "core/scalar/scalar.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

std::optional<Rewrite> compare_same(const Stmt& stmt, Env&) {
  const CmpOp& e = *as<CmpOp>(stmt.exp);
  if (is_float(e.type) || !(e.lhs == e.rhs)) return std::nullopt;
  return equals(const_bool(e.op == CmpOpKind::kEq || e.op == CmpOpKind::kLe));
}

std::optional<Rewrite> compare_select(const Stmt& stmt, Env& env) {
  const CmpOp& e = *as<CmpOp>(stmt.exp);
  const Const* c = as_const(e.rhs);
  const Select* select = env.definition_as<Select>(e.lhs);
  if (c == nullptr || select == nullptr) return std::nullopt;
  const Const *a = as_const(select->then), *b = as_const(select->otherwise);
  // One constant side is enough if the comparison fails there: select(c, x, -1) == 0 is c && x ==
  // 0.
  if (a == nullptr && b != nullptr && eval(e.op, e.type, *b, *c).bits == 0) {
    Name rest;
    Rewrite r;
    r.before.push_back(env.make(scalar_type(Prim::kBool), CmpOp{e.op, e.type, select->then, *c},
                                "c", stmt.loc, &rest));
    r.exp = BinOp{BinOpKind::kAnd, Prim::kBool, select->cond, rest};
    return r;
  }
  if (a == nullptr || b == nullptr) return std::nullopt;
  const bool then = eval(e.op, e.type, *a, *c).bits != 0;
  const bool otherwise = eval(e.op, e.type, *b, *c).bits != 0;
  if (then == otherwise) return equals(const_bool(then));
  if (then) return equals(select->cond);
  return becomes(UnOp{UnOpKind::kNot, Prim::kBool, select->cond});
}

std::optional<Rewrite> compare_range(const Stmt& stmt, Env& env) {
  if (const auto known = env.facts().decide(*as<CmpOp>(stmt.exp)))
    return equals(const_bool(*known));
  return std::nullopt;
}

std::optional<Rewrite> compare_bool(const Stmt& stmt, Env&) {
  const CmpOp& e = *as<CmpOp>(stmt.exp);
  const Const* c = as_const(e.rhs);
  if (e.type != Prim::kBool || c == nullptr) return std::nullopt;
  if (e.op != CmpOpKind::kEq && e.op != CmpOpKind::kNe) return std::nullopt;
  if ((c->bits != 0) == (e.op == CmpOpKind::kEq)) return equals(e.lhs);
  return becomes(UnOp{UnOpKind::kNot, Prim::kBool, e.lhs});
}

}  // namespace

Rules compare_rules() {
  return {
      {"compare-same", node_index<CmpOp>(), compare_same},
      {"compare-select", node_index<CmpOp>(), compare_select},
      {"compare-range", node_index<CmpOp>(), compare_range},
      {"compare-bool", node_index<CmpOp>(), compare_bool},
  };
}

}  // namespace skald::passes::simplify_rules
