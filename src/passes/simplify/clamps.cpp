// SPDX-License-Identifier: Apache-2.0
// Choices between two integers by comparing them.
//
//   select-clamp   if x < a then a else x = max(a, x);  if n <= x then n - 1 else x = min(n - 1, x)
//
// About `min` and `max` more is known: an index between them needs no check, and indices of
// neighbours stay next to each other but at the ends (docs/simd.md).
#include "core/ir/visit.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

// The comparison says that `small` < `large`, or that they may be equal too.
struct Order {
  Operand small, large;
  bool strict;
};

// Is `less` = `than` - 1, without wrapping?
bool is_one_less(const Exp* less, const Operand& value, const Operand& than, Env& env) {
  const Const *a = as_const(value), *b = as_const(than);
  if (a != nullptr && b != nullptr && a->type == b->type)
    return is_signed_int(a->type) && int_value(*b) != INT64_MIN &&
           int_value(*a) == int_value(*b) - 1;
  const auto* e = less == nullptr ? nullptr : std::get_if<BinOp>(less);
  if (e == nullptr || !is_signed_int(e->type) || !(e->lhs == than)) return false;
  const Const* by = as_const(e->rhs);
  if (by == nullptr) return false;
  const bool one = (e->op == BinOpKind::kSub && int_value(*by) == 1) ||
                   (e->op == BinOpKind::kAdd && int_value(*by) == -1);
  return one && env.facts().interval(than).least > INT64_MIN / 2 &&
         env.facts().at_most(const_int(e->type, 0), than);
}

// What `chosen` is if `order` holds, and `other` if not.  The definitions are those of values that
// a branch computes; or null.
std::optional<BinOp> clamp(const Order& order, Prim type, const Operand& chosen,
                           const Operand& other, const Exp* chosen_exp, const Exp* other_exp,
                           Env& env) {
  const auto result = [&](BinOpKind op, const Operand& a, const Operand& b) {
    return BinOp{op, type, a, b};
  };
  if (chosen == order.small && other == order.large) return result(BinOpKind::kMin, chosen, other);
  if (chosen == order.large && other == order.small) return result(BinOpKind::kMax, chosen, other);
  // n <= x then n - 1 else x;  x < n then x else n - 1
  if (!order.strict && other == order.large && is_one_less(chosen_exp, chosen, order.small, env))
    return result(BinOpKind::kMin, chosen, other);
  if (order.strict && chosen == order.small && is_one_less(other_exp, other, order.large, env))
    return result(BinOpKind::kMin, chosen, other);
  return std::nullopt;
}

std::optional<std::pair<Order, Prim>> order_of(const Operand& cond, Env& env) {
  const CmpOp* c = env.definition_as<CmpOp>(cond);
  if (c == nullptr || !is_int(c->type)) return std::nullopt;
  if (c->op != CmpOpKind::kLt && c->op != CmpOpKind::kLe) return std::nullopt;
  return std::pair{Order{c->lhs, c->rhs, c->op == CmpOpKind::kLt}, c->type};
}

const Exp* definition_of(const Operand& operand, Env& env) {
  const Name* name = as_name(operand);
  return name == nullptr ? nullptr : env.definition(*name);
}

std::optional<Rewrite> select_clamp(const Stmt& stmt, Env& env) {
  const Select& e = *as<Select>(stmt.exp);
  const auto order = order_of(e.cond, env);
  if (!order) return std::nullopt;
  const auto found = clamp(order->first, order->second, e.then, e.otherwise,
                           definition_of(e.then, env), definition_of(e.otherwise, env), env);
  if (!found) return std::nullopt;
  return becomes(*found);
}

// The one operator of a branch that computes its result; null if it does anything else.
const Stmt* only_operator(const Body& body) {
  if (body.stmts.size() != 1 || !body.stmts[0].tokens.empty() || body.result.size() != 1)
    return nullptr;
  const Stmt& stmt = body.stmts[0];
  const bool is_result =
      as<BinOp>(stmt.exp) != nullptr && body.result[0] == Operand{stmt.pat[0].name};
  return is_result ? &stmt : nullptr;
}

std::optional<Rewrite> if_clamp(const Stmt& stmt, Env& env) {
  const If& e = *as<If>(stmt.exp);
  if (stmt.pat.size() != 1 || !stmt.pat[0].type.is_scalar()) return std::nullopt;
  const Stmt *then = only_operator(e.then_body), *otherwise = only_operator(e.else_body);
  if (then != nullptr ? !e.else_body.stmts.empty()
                      : otherwise == nullptr || !e.then_body.stmts.empty())
    return std::nullopt;
  const auto order = order_of(e.cond, env);
  if (!order) return std::nullopt;
  const Stmt& inside = then != nullptr ? *then : *otherwise;
  auto found = clamp(order->first, order->second, e.then_body.result[0], e.else_body.result[0],
                     then != nullptr ? &then->exp : nullptr,
                     otherwise != nullptr ? &otherwise->exp : nullptr, env);
  if (!found) return std::nullopt;
  // The branch goes, and with it the name that it bound.
  Name name;
  Rewrite r;
  r.before.push_back(env.make(inside.pat[0].type, *as<BinOp>(inside.exp), "t", inside.loc, &name));
  for (Operand* side : {&found->lhs, &found->rhs})
    if (*side == Operand{inside.pat[0].name}) *side = name;
  r.exp = *found;
  return r;
}

}  // namespace

Rules clamp_rules() {
  return {
      {"select-clamp", node_index<Select>(), select_clamp},
      {"select-clamp", node_index<If>(), if_clamp},
  };
}

}  // namespace skald::passes::simplify_rules
