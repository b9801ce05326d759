// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic: sizes and indices for the most part.  All of it holds with wrapping.
//
//   neutral         x + 0 = x - 0 = x * 1 = x / 1 = x | 0 = x;  x * 0 = x - x = x ^ x = 0
//   constant-right  3 + x = x + 3
//   reassociate     (x + 3) + 4 = x + 7;  (x * 2) * 4 = x * 8;  (x - 3) = x + (-3) + … likewise
//   cancel          (x + y) - y = x;  (x - y) + y = x;  x - (x - y) = y
//   negated         x * -1 + y = y + x * -1 = y - x
//   factor          x * y + x * z = x * (y + z), if the products are used nowhere else
//   rest            n - k = l and (n - k) - l = m, if a partition of n rows that drops none gives
//                   classes of k and l (and m) rows
//   range           x mod n = x and x / n = 0 if 0 ≤ x < n;  min and max of ordered operands
//   wrap-around     (x + y) mod n = x + y or x + y - n, whichever is below n, if 0 ≤ x < n and
//                   0 ≤ y ≤ n; x - y likewise.  Only once kernels exist: before, bounds follow from
//                   the division
#include <algorithm>

#include "core/ir/visit.h"
#include "core/scalar/scalar.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

bool is_value(const Operand& o, int64_t value) {
  const Const* c = as_const(o);
  return c != nullptr && is_int(c->type) && int_value(*c) == value;
}

std::optional<Rewrite> neutral(const Stmt& stmt, Env&) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  if (!is_int(e.type)) return std::nullopt;
  using enum BinOpKind;
  const bool right_zero = is_value(e.rhs, 0), right_one = is_value(e.rhs, 1);
  if (right_zero && (e.op == kAdd || e.op == kSub || e.op == kOr || e.op == kXor || e.op == kShl))
    return equals(e.lhs);
  if (right_one && (e.op == kMul || e.op == kDiv || e.op == kQuot)) return equals(e.lhs);
  if (is_value(e.lhs, 0) && (e.op == kAdd || e.op == kOr || e.op == kXor)) return equals(e.rhs);
  if (is_value(e.lhs, 1) && e.op == kMul) return equals(e.rhs);
  if ((e.op == kMul || e.op == kAnd) && (right_zero || is_value(e.lhs, 0)))
    return equals(const_int(e.type, 0));
  if ((e.op == kSub || e.op == kXor) && e.lhs == e.rhs) return equals(const_int(e.type, 0));
  if ((e.op == kAnd || e.op == kOr || e.op == kMin || e.op == kMax) && e.lhs == e.rhs)
    return equals(e.lhs);
  if (right_one && (e.op == kMod || e.op == kRem)) return equals(const_int(e.type, 0));
  return std::nullopt;
}

std::optional<Rewrite> constant_right(const Stmt& stmt, Env&) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  const bool swaps = e.op == BinOpKind::kAdd || e.op == BinOpKind::kMul ||
                     e.op == BinOpKind::kMin || e.op == BinOpKind::kMax;
  if (!is_int(e.type) || !swaps || as_const(e.lhs) == nullptr || as_const(e.rhs) != nullptr)
    return std::nullopt;
  return becomes(BinOp{e.op, e.type, e.rhs, e.lhs});
}

std::optional<Rewrite> reassociate(const Stmt& stmt, Env& env) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  const Const* c = as_const(e.rhs);
  const BinOp* inner = env.definition_as<BinOp>(e.lhs);
  if (!is_int(e.type) || c == nullptr || inner == nullptr || inner->type != e.type)
    return std::nullopt;
  const Const* d = as_const(inner->rhs);
  if (d == nullptr) return std::nullopt;
  using enum BinOpKind;
  if (e.op == kMul && inner->op == kMul)
    return becomes(BinOp{kMul, e.type, inner->lhs, eval(kMul, e.type, *c, *d)});
  const bool sums = (e.op == kAdd || e.op == kSub) && (inner->op == kAdd || inner->op == kSub);
  if (!sums) return std::nullopt;
  // x ± d ± c as x + k; a negative k is written as a subtraction.
  const int64_t k =
      (inner->op == kAdd ? 1 : -1) * int_value(*d) + (e.op == kAdd ? 1 : -1) * int_value(*c);
  if (!is_signed_int(e.type)) return becomes(BinOp{kAdd, e.type, inner->lhs, const_int(e.type, k)});
  if (k == 0) return equals(inner->lhs);
  if (k < 0 && k > -(int64_t{1} << 31))
    return becomes(BinOp{kSub, e.type, inner->lhs, const_int(e.type, -k)});
  return becomes(BinOp{kAdd, e.type, inner->lhs, const_int(e.type, k)});
}

std::optional<Rewrite> cancel(const Stmt& stmt, Env& env) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  if (!is_int(e.type)) return std::nullopt;
  using enum BinOpKind;
  const BinOp *left = env.definition_as<BinOp>(e.lhs), *right = env.definition_as<BinOp>(e.rhs);
  if (e.op == kSub && left != nullptr && left->op == kAdd && left->type == e.type) {
    if (left->rhs == e.rhs) return equals(left->lhs);
    if (left->lhs == e.rhs) return equals(left->rhs);
  }
  if (e.op == kSub && right != nullptr && right->op == kSub && right->lhs == e.lhs)
    return equals(right->rhs);
  if (e.op == kAdd && left != nullptr && left->op == kSub && left->rhs == e.rhs)
    return equals(left->lhs);
  if (e.op == kAdd && right != nullptr && right->op == kSub && right->rhs == e.lhs)
    return equals(right->lhs);
  return std::nullopt;
}

// Indices of arrays that are read backwards.
std::optional<Rewrite> negated(const Stmt& stmt, Env& env) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  if (e.op != BinOpKind::kAdd || !is_int(e.type)) return std::nullopt;
  for (const auto& [product, other] : {std::pair(e.lhs, e.rhs), {e.rhs, e.lhs}}) {
    const BinOp* inner = env.definition_as<BinOp>(product);
    if (inner != nullptr && inner->op == BinOpKind::kMul && is_value(inner->rhs, -1))
      return becomes(BinOp{BinOpKind::kSub, e.type, other, inner->lhs});
  }
  return std::nullopt;
}

std::optional<Rewrite> factor(const Stmt& stmt, Env& env) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  if (!is_int(e.type) || (e.op != BinOpKind::kAdd && e.op != BinOpKind::kSub)) return std::nullopt;
  const BinOp *left = env.definition_as<BinOp>(e.lhs), *right = env.definition_as<BinOp>(e.rhs);
  const bool products = left != nullptr && right != nullptr && left->op == BinOpKind::kMul &&
                        right->op == BinOpKind::kMul && env.uses(*as_name(e.lhs)) == 1 &&
                        env.uses(*as_name(e.rhs)) == 1;
  if (!products) return std::nullopt;
  for (const auto& [common, a] : {std::pair(left->lhs, left->rhs), {left->rhs, left->lhs}})
    for (const auto& [other, b] : {std::pair(right->lhs, right->rhs), {right->rhs, right->lhs}}) {
      if (!(common == other)) continue;
      Name sum;
      Rewrite r;
      r.before.push_back(
          env.make(scalar_type(e.type), BinOp{e.op, e.type, a, b}, "factor", stmt.loc, &sum));
      r.exp = BinOp{BinOpKind::kMul, e.type, common, sum};
      return r;
    }
  return std::nullopt;
}

std::optional<Rewrite> range(const Stmt& stmt, Env& env) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  if (!is_int(e.type) || !is_signed_int(e.type)) return std::nullopt;
  const analysis::Facts& facts = env.facts();
  const Operand zero = const_int(e.type, 0);
  using enum BinOpKind;
  if (e.op == kMin || e.op == kMax) {
    if (facts.at_most(e.lhs, e.rhs)) return equals(e.op == kMin ? e.lhs : e.rhs);
    if (facts.at_most(e.rhs, e.lhs)) return equals(e.op == kMin ? e.rhs : e.lhs);
  }
  const bool divides = e.op == kMod || e.op == kRem || e.op == kDiv || e.op == kQuot;
  if (!divides || !facts.at_most(zero, e.lhs) || !facts.at_most(e.lhs, e.rhs, -1))
    return std::nullopt;
  return equals(e.op == kMod || e.op == kRem ? e.lhs : zero);
}

// Rows that are not in the other classes are in the last one.
std::optional<Rewrite> rest(const Stmt& stmt, Env& env) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  if (e.op != BinOpKind::kSub || e.type != Prim::kI64) return std::nullopt;
  Operand whole = e.lhs;
  std::vector<Name> taken;
  const BinOp* at = &e;
  while (at != nullptr && at->op == BinOpKind::kSub && as_name(at->rhs) != nullptr) {
    taken.push_back(*as_name(at->rhs));
    whole = at->lhs;
    const std::vector<Name>* classes = env.classes_beside(taken.back(), whole);
    at = env.definition_as<BinOp>(at->lhs);
    if (classes == nullptr) continue;
    std::optional<Name> left;
    size_t found = 0;
    for (const Name size : *classes) {
      if (std::ranges::find(taken, size) != taken.end())
        ++found;
      else
        left = size;
    }
    if (found != taken.size() || found + 1 != classes->size()) return std::nullopt;
    return equals(*left);
  }
  return std::nullopt;
}

// A comparison instead of a division: neighbours on a torus.
std::optional<Rewrite> wrap_around(const Stmt& stmt, Env& env) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  using enum BinOpKind;
  if (env.program().stage == Stage::kSoacs || e.type != Prim::kI64) return std::nullopt;
  if (e.op != kMod && e.op != kRem) return std::nullopt;
  const analysis::Facts& facts = env.facts();
  const Operand zero = const_i64(0);
  const auto is_below = [&](const Operand& x) {
    return facts.at_most(zero, x) && facts.at_most(x, e.rhs, -1);
  };
  const auto is_step = [&](const Operand& y) {
    return facts.at_most(zero, y) && facts.at_most(y, e.rhs);
  };
  const BinOp* outer = env.definition_as<BinOp>(e.lhs);
  if (outer == nullptr || outer->type != Prim::kI64) return std::nullopt;
  const BinOp* inner = env.definition_as<BinOp>(outer->lhs);
  const bool forward = outer->op == kAdd && ((is_below(outer->lhs) && is_step(outer->rhs)) ||
                                             (is_below(outer->rhs) && is_step(outer->lhs)));
  // x + n - y
  const bool around = outer->op == kSub && inner != nullptr && inner->op == kAdd &&
                      is_step(outer->rhs) &&
                      ((inner->rhs == e.rhs && is_below(inner->lhs)) ||
                       (inner->lhs == e.rhs && is_below(inner->rhs)));
  const bool backward =
      e.op == kMod && outer->op == kSub && is_below(outer->lhs) && is_step(outer->rhs);
  if (!forward && !around && !backward) return std::nullopt;
  Rewrite r;
  Name inside, other;
  const CmpOp test = backward ? CmpOp{CmpOpKind::kLe, Prim::kI64, zero, e.lhs}
                              : CmpOp{CmpOpKind::kLt, Prim::kI64, e.lhs, e.rhs};
  r.before.push_back(env.make(scalar_type(Prim::kBool), test, "inside", stmt.loc, &inside));
  r.before.push_back(env.make(scalar_type(Prim::kI64),
                              BinOp{backward ? kAdd : kSub, Prim::kI64, e.lhs, e.rhs}, "around",
                              stmt.loc, &other));
  r.exp = Select{inside, e.lhs, other};
  return r;
}

}  // namespace

Rules integer_rules() {
  return {
      {"neutral", node_index<BinOp>(), neutral},
      {"constant-right", node_index<BinOp>(), constant_right},
      {"reassociate", node_index<BinOp>(), reassociate},
      {"cancel", node_index<BinOp>(), cancel},
      {"negated", node_index<BinOp>(), negated},
      {"factor", node_index<BinOp>(), factor},
      {"rest", node_index<BinOp>(), rest},
      {"range", node_index<BinOp>(), range},
      {"wrap-around", node_index<BinOp>(), wrap_around},
  };
}

}  // namespace skald::passes::simplify_rules
