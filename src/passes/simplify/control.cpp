// SPDX-License-Identifier: Apache-2.0
// Branches that only choose.
//
//   if-to-select   if c then {a} else {b} = select(c, a, b), on scalars
//   if-to-logic    if c then {cheap code, t} else {false} = c && t;  if c then {true} else {…} = c
//   || t if-to-abs      if x < 0 then {-x} else {x} = abs(x), on integers
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

std::optional<Rewrite> if_to_select(const Stmt& stmt, Env&) {
  const If& e = *as<If>(stmt.exp);
  if (stmt.pat.size() != 1 || !stmt.pat[0].type.is_scalar() || !e.then_body.stmts.empty() ||
      !e.else_body.stmts.empty())
    return std::nullopt;
  return becomes(Select{e.cond, e.then_body.result[0], e.else_body.result[0]});
}

// A branch that is foreseen wrongly costs some fifteen cycles.  So many operations of one cycle
// cost less than that half of the time.
constexpr size_t kCheapSide = 7;

// The statement again if it takes a cycle and cannot fail.
std::optional<Stmt> cheap(const Stmt& stmt) {
  if (!stmt.tokens.empty() || stmt.pat.size() != 1) return std::nullopt;
  const auto same = [&](const auto& e) { return Stmt{stmt.pat, e, {}, stmt.hints, stmt.loc}; };
  if (const auto* e = as<CmpOp>(stmt.exp)) return same(*e);
  if (const auto* e = as<Select>(stmt.exp)) return same(*e);
  if (const auto* e = as<UnOp>(stmt.exp); e != nullptr && !is_float(e->type)) {
    const bool is_cheap =
        e->op == UnOpKind::kNot || e->op == UnOpKind::kNeg || e->op == UnOpKind::kAbs;
    return is_cheap ? std::optional(same(*e)) : std::nullopt;
  }
  const auto* e = as<BinOp>(stmt.exp);
  if (e == nullptr || is_float(e->type)) return std::nullopt;
  switch (e->op) {
    case BinOpKind::kAdd:
    case BinOpKind::kSub:
    case BinOpKind::kMul:
    case BinOpKind::kMin:
    case BinOpKind::kMax:
    case BinOpKind::kAnd:
    case BinOpKind::kOr:
    case BinOpKind::kXor: return same(*e);
    default: return std::nullopt;
  }
}

std::optional<Rewrite> if_to_logic(const Stmt& stmt, Env&) {
  const If& e = *as<If>(stmt.exp);
  if (stmt.pat.size() != 1 || !(stmt.pat[0].type == scalar_type(Prim::kBool))) return std::nullopt;
  const bool is_and =
      e.else_body.stmts.empty() && e.else_body.result[0] == Operand{const_bool(false)};
  const bool is_or =
      e.then_body.stmts.empty() && e.then_body.result[0] == Operand{const_bool(true)};
  if (!is_and && !is_or) return std::nullopt;
  const Body& side = is_and ? e.then_body : e.else_body;
  if (side.stmts.size() > kCheapSide) return std::nullopt;
  Rewrite r = becomes(
      BinOp{is_and ? BinOpKind::kAnd : BinOpKind::kOr, Prim::kBool, e.cond, side.result[0]});
  for (const Stmt& inner : side.stmts) {
    std::optional<Stmt> moved = cheap(inner);
    if (!moved) return std::nullopt;
    r.before.push_back(std::move(*moved));
  }
  return r;
}

std::optional<Rewrite> if_to_abs(const Stmt& stmt, Env& env) {
  const If& e = *as<If>(stmt.exp);
  if (stmt.pat.size() != 1 || e.then_body.stmts.size() != 1 || !e.else_body.stmts.empty())
    return std::nullopt;
  const Stmt& inner = e.then_body.stmts[0];
  const auto* negated = as<UnOp>(inner.exp);
  const CmpOp* below = env.definition_as<CmpOp>(e.cond);
  const bool fits =
      negated != nullptr && below != nullptr && negated->op == UnOpKind::kNeg &&
      is_signed_int(negated->type) && below->op == CmpOpKind::kLt && below->type == negated->type &&
      below->lhs == negated->arg && below->rhs == Operand{const_int(negated->type, 0)} &&
      e.then_body.result[0] == Operand{inner.pat[0].name} && e.else_body.result[0] == negated->arg;
  if (!fits) return std::nullopt;
  return becomes(UnOp{UnOpKind::kAbs, negated->type, negated->arg});
}

}  // namespace

Rules control_rules() {
  return {{"if-to-select", node_index<If>(), if_to_select},
          {"if-to-abs", node_index<If>(), if_to_abs},
          {"if-to-logic", node_index<If>(), if_to_logic}};
}

}  // namespace skald::passes::simplify_rules
