// SPDX-License-Identifier: Apache-2.0
// Booleans.
//
//   bool-neutral   c && true = c || false = c && c = c;  c && false = false;  c || true = true
//   not-not        !(!c) = c
//   not-compare    !(a < b) = b ≤ a and so on, on everything but floats
//   select-bool    select(c, true, false) = c;  select(c, false, true) = !c
//   known-bool     a condition that holds (or fails) here is true (or false)
#include "core/ir/visit.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

std::optional<Rewrite> bool_neutral(const Stmt& stmt, Env&) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  if (e.type != Prim::kBool || (e.op != BinOpKind::kAnd && e.op != BinOpKind::kOr))
    return std::nullopt;
  const Operand neutral = const_bool(e.op == BinOpKind::kAnd);
  if (e.lhs == neutral) return equals(e.rhs);
  if (e.rhs == neutral || e.lhs == e.rhs) return equals(e.lhs);
  if (as_const(e.lhs) != nullptr || as_const(e.rhs) != nullptr)
    return equals(const_bool(e.op == BinOpKind::kOr));
  return std::nullopt;
}

std::optional<Rewrite> not_not(const Stmt& stmt, Env& env) {
  const UnOp& e = *as<UnOp>(stmt.exp);
  const UnOp* inner = env.definition_as<UnOp>(e.arg);
  if (inner != nullptr && inner->op == e.op && inner->type == e.type &&
      (e.op == UnOpKind::kNot || (e.op == UnOpKind::kNeg && is_int(e.type))))
    return equals(inner->arg);
  return std::nullopt;
}

std::optional<Rewrite> not_compare(const Stmt& stmt, Env& env) {
  const UnOp& e = *as<UnOp>(stmt.exp);
  const CmpOp* cmp = env.definition_as<CmpOp>(e.arg);
  if (e.op != UnOpKind::kNot || e.type != Prim::kBool || cmp == nullptr) return std::nullopt;
  switch (cmp->op) {
    case CmpOpKind::kEq: return becomes(CmpOp{CmpOpKind::kNe, cmp->type, cmp->lhs, cmp->rhs});
    case CmpOpKind::kNe: return becomes(CmpOp{CmpOpKind::kEq, cmp->type, cmp->lhs, cmp->rhs});
    case CmpOpKind::kLt:
      if (is_float(cmp->type)) return std::nullopt;
      return becomes(CmpOp{CmpOpKind::kLe, cmp->type, cmp->rhs, cmp->lhs});
    case CmpOpKind::kLe:
      if (is_float(cmp->type)) return std::nullopt;
      return becomes(CmpOp{CmpOpKind::kLt, cmp->type, cmp->rhs, cmp->lhs});
  }
  return std::nullopt;
}

std::optional<Rewrite> select_bool(const Stmt& stmt, Env&) {
  const Select& e = *as<Select>(stmt.exp);
  const Const *a = as_const(e.then), *b = as_const(e.otherwise);
  if (a == nullptr || b == nullptr || a->type != Prim::kBool) return std::nullopt;
  if (a->bits != 0 && b->bits == 0) return equals(e.cond);
  if (a->bits == 0 && b->bits != 0) return becomes(UnOp{UnOpKind::kNot, Prim::kBool, e.cond});
  return std::nullopt;
}

template <class Node>
std::optional<Rewrite> known_bool(const Stmt& stmt, Env& env) {
  const Node& e = *as<Node>(stmt.exp);
  if (e.type != Prim::kBool) return std::nullopt;
  // Decided through its operands: the name itself is not bound yet.
  if constexpr (std::is_same_v<Node, BinOp>) {
    if (e.op != BinOpKind::kAnd && e.op != BinOpKind::kOr) return std::nullopt;
    const bool absorbing = e.op == BinOpKind::kOr;
    for (const auto& [arg, other] : {std::pair(&e.lhs, &e.rhs), std::pair(&e.rhs, &e.lhs)})
      if (const std::optional<bool> known = env.facts().decide(*arg))
        return *known == absorbing ? equals(const_bool(absorbing)) : equals(*other);
  } else if (e.op == UnOpKind::kNot) {
    if (const std::optional<bool> known = env.facts().decide(e.arg))
      return equals(const_bool(!*known));
  }
  return std::nullopt;
}

}  // namespace

Rules boolean_rules() {
  return {
      {"bool-neutral", node_index<BinOp>(), bool_neutral},
      {"not-not", node_index<UnOp>(), not_not},
      {"not-compare", node_index<UnOp>(), not_compare},
      {"select-bool", node_index<Select>(), select_bool},
      {"known-bool", node_index<BinOp>(), known_bool<BinOp>},
      {"known-bool", node_index<UnOp>(), known_bool<UnOp>},
  };
}

}  // namespace skald::passes::simplify_rules
