// SPDX-License-Identifier: Apache-2.0
// Copies and operators on constants.
//
//   value      let {a} = b                      every use of a is b
//   fold       let {a} = add_i32(3, 4)          every use of a is 7
//   select     select(true, a, b) = a;  select(c, a, a) = a
#include "core/ir/visit.h"
#include "core/scalar/scalar.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

std::optional<Rewrite> value(const Stmt& stmt, Env&) {
  return equals(as<Value>(stmt.exp)->arg);
}

std::optional<Rewrite> fold_unop(const Stmt& stmt, Env&) {
  const UnOp& e = *as<UnOp>(stmt.exp);
  if (const Const* c = as_const(e.arg)) return equals(eval(e.op, e.type, *c));
  return std::nullopt;
}
std::optional<Rewrite> fold_binop(const Stmt& stmt, Env&) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  const Const *a = as_const(e.lhs), *b = as_const(e.rhs);
  if (a != nullptr && b != nullptr) return equals(eval(e.op, e.type, *a, *b));
  return std::nullopt;
}
std::optional<Rewrite> fold_cmpop(const Stmt& stmt, Env&) {
  const CmpOp& e = *as<CmpOp>(stmt.exp);
  const Const *a = as_const(e.lhs), *b = as_const(e.rhs);
  if (a != nullptr && b != nullptr) return equals(eval(e.op, e.type, *a, *b));
  return std::nullopt;
}
std::optional<Rewrite> fold_ternop(const Stmt& stmt, Env&) {
  const TernOp& e = *as<TernOp>(stmt.exp);
  const Const *a = as_const(e.a), *b = as_const(e.b), *c = as_const(e.c);
  if (a != nullptr && b != nullptr && c != nullptr) return equals(eval(e.op, e.type, *a, *b, *c));
  return std::nullopt;
}
std::optional<Rewrite> fold_convert(const Stmt& stmt, Env&) {
  const Convert& e = *as<Convert>(stmt.exp);
  if (e.from == e.to) return equals(e.arg);
  if (const Const* c = as_const(e.arg)) return equals(eval_convert(e.from, e.to, *c));
  return std::nullopt;
}
std::optional<Rewrite> fold_bitcast(const Stmt& stmt, Env&) {
  const Bitcast& e = *as<Bitcast>(stmt.exp);
  if (e.from == e.to) return equals(e.arg);
  if (const Const* c = as_const(e.arg)) return equals(eval_bitcast(e.from, e.to, *c));
  return std::nullopt;
}
std::optional<Rewrite> fold_select(const Stmt& stmt, Env& env) {
  const Select& e = *as<Select>(stmt.exp);
  if (e.then == e.otherwise) return equals(e.then);
  if (const auto known = env.facts().decide(e.cond)) return equals(*known ? e.then : e.otherwise);
  return std::nullopt;
}

}  // namespace

Rules constant_rules() {
  return {
      {"copy", node_index<Value>(), value},          {"fold", node_index<UnOp>(), fold_unop},
      {"fold", node_index<BinOp>(), fold_binop},     {"fold", node_index<CmpOp>(), fold_cmpop},
      {"fold", node_index<TernOp>(), fold_ternop},   {"fold", node_index<Convert>(), fold_convert},
      {"fold", node_index<Bitcast>(), fold_bitcast}, {"fold", node_index<Select>(), fold_select},
  };
}

}  // namespace skald::passes::simplify_rules
