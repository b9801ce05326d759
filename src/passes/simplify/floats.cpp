// SPDX-License-Identifier: Apache-2.0
// Floating-point arithmetic: only what holds for all values, signed zeros and infinities included.
//
//   float-neutral   x * 1 = x / 1 = x - 0 = x + -0 = x
//   power           x ** 0 = 1;  x ** 1 = x;  x ** 2 = x * x;  x ** -1 = 1 / x
//   blend           x * [x <= y] + y * [y < x] = x + y * 0 if x <= y, else y + x * 0;  the same for
//                   any x and y where the second condition is the negation of the first.  For x <=
//                   y it does not matter which is taken if both are equal, so the smaller and the
//                   larger one of the same numbers have one comparison
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

// x * [c], in either order.
struct Masked {
  Operand value, condition;
};
std::optional<Masked> masked(const Operand& o, Env& env) {
  const BinOp* product = env.definition_as<BinOp>(o);
  if (product == nullptr || product->op != BinOpKind::kMul) return std::nullopt;
  const auto condition = [&](const Operand& factor) {
    const Convert* convert = env.definition_as<Convert>(factor);
    return convert != nullptr && convert->from == Prim::kBool ? &convert->arg : nullptr;
  };
  if (const Operand* c = condition(product->rhs)) return Masked{product->lhs, *c};
  if (const Operand* c = condition(product->lhs)) return Masked{product->rhs, *c};
  return std::nullopt;
}

// Does exactly one of the conditions hold?  If x or y is no number perhaps none does: then the sum
// is none either, whatever is chosen.
bool are_opposite(const Masked& x, const Masked& y, Env& env) {
  for (const auto& [one, other] : {std::pair(&x, &y), std::pair(&y, &x)}) {
    const UnOp* negation = env.definition_as<UnOp>(one->condition);
    if (negation != nullptr && negation->op == UnOpKind::kNot && negation->arg == other->condition)
      return true;
  }
  const CmpOp* a = env.definition_as<CmpOp>(x.condition);
  const CmpOp* b = env.definition_as<CmpOp>(y.condition);
  if (a == nullptr || b == nullptr || a->type != b->type) return false;
  const bool le_lt = (a->op == CmpOpKind::kLe && b->op == CmpOpKind::kLt) ||
                     (a->op == CmpOpKind::kLt && b->op == CmpOpKind::kLe);
  const bool of_both =
      (a->lhs == x.value && a->rhs == y.value) || (a->lhs == y.value && a->rhs == x.value);
  return le_lt && of_both && a->lhs == b->rhs && a->rhs == b->lhs;
}

std::optional<Rewrite> blend(const Stmt& stmt, Env& env) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  if (e.op != BinOpKind::kAdd || !is_float(e.type)) return std::nullopt;
  const std::optional<Masked> x = masked(e.lhs, env), y = masked(e.rhs, env);
  if (!x || !y || !are_opposite(*x, *y, env)) return std::nullopt;
  Rewrite r;
  const auto made = [&](BinOpKind op, const Operand& a, const Operand& b) {
    Name name;
    r.before.push_back(
        env.make(scalar_type(e.type), BinOp{op, e.type, a, b}, "t", stmt.loc, &name));
    return Operand{name};
  };
  const auto with = [&](const Operand& chosen, const Operand& other) {
    return made(BinOpKind::kAdd, chosen, made(BinOpKind::kMul, other, const_float(e.type, 0)));
  };
  Operand chosen = x->value, other = y->value, condition = x->condition;
  const Name *left = as_name(chosen), *right = as_name(other);
  if (const CmpOp* cmp = env.definition_as<CmpOp>(condition); cmp && left && right) {
    const bool smaller = cmp->lhs == chosen;
    if (right->id < left->id) std::swap(chosen, other);
    Name name;
    r.before.push_back(env.make(scalar_type(Prim::kBool),
                                CmpOp{CmpOpKind::kLe, e.type, chosen, other}, "c", stmt.loc,
                                &name));
    condition = name;
    if (!smaller) std::swap(chosen, other);
  }
  const Operand first = with(chosen, other);
  r.exp = Select{condition, first, with(other, chosen)};
  return r;
}

}  // namespace

Rules float_rules() {
  constexpr size_t kBinOp = node_index<BinOp>();
  return {
      {"float-neutral", kBinOp, float_neutral}, {"power", kBinOp, power}, {"blend", kBinOp, blend}};
}

}  // namespace skald::passes::simplify_rules
