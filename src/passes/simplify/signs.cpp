// SPDX-License-Identifier: Apache-2.0
// Signs of floats: a value and its opposite are computed once.
//
//   float-sign   a + -x = a - x;   a - -x = a + x;   -x * -y = x * y;   - -x = x
//                a + c * -x = a - c * x;   (c * -x) * -x = (c * x) * x;   the same with /
//
// All exact, because rounding is the same on both sides of zero, signed zeros included.
//
// `a - b` is the opposite of an earlier `b - a`, and `-a - b` of an earlier `a + b`, or else both
// are the same zero.  So these are written with the earlier one where that makes no difference: in
// a sum with a constant that is not zero, and in a product of two values with the same one of them:
//
//   1 + 3 * (a - b) = 1 - 3 * (b - a);   (c * (a - b)) * (a - b) = (c * (b - a)) * (b - a)
//
// What is no number has any sign, here as elsewhere.
#include "core/ir/visit.h"
#include "core/scalar/scalar.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

// How many products deep opposites are looked for.
constexpr int kDeepest = 4;

// -value, or, with a root, that or the same zero: whichever the root is.
struct Opposite {
  Operand value;
  std::optional<Name> root;
};

bool is_not_zero(const Operand& o) {
  const Const* c = as_const(o);
  return c != nullptr && float_value(*c) != 0;
}

class Signs {
 public:
  Signs(const Stmt& stmt, Env& env) : stmt_(stmt), env_(env) {}

  std::optional<Rewrite> binary(const BinOp& e) {
    using enum BinOpKind;
    if (e.op == kAdd || e.op == kSub) {
      if (const auto r = opposite(e.rhs); r && (!r->root || is_not_zero(e.lhs)))
        return with(BinOp{e.op == kAdd ? kSub : kAdd, e.type, e.lhs, r->value});
      before_.clear();
      if (e.op == kSub) return std::nullopt;
      if (const auto l = opposite(e.lhs); l && (!l->root || is_not_zero(e.rhs)))
        return with(BinOp{kSub, e.type, e.rhs, l->value});
      return std::nullopt;
    }
    if (e.op != kMul && e.op != kDiv) return std::nullopt;
    const auto l = opposite(e.lhs);
    const auto r = l ? opposite(e.rhs) : std::nullopt;
    if (!r || l->root != r->root) return std::nullopt;
    return with(BinOp{e.op, e.type, l->value, r->value});
  }

 private:
  std::optional<Opposite> opposite(const Operand& o, int depth = 0) {
    const Name* name = as_name(o);
    if (name == nullptr || !env_.tokens(*name).empty()) return std::nullopt;
    if (const auto* e = env_.definition_as<UnOp>(o); e != nullptr && e->op == UnOpKind::kNeg)
      return Opposite{e->arg, {}};
    const auto* found = env_.definition_as<BinOp>(o);
    if (found == nullptr) return std::nullopt;
    const BinOp e = *found;
    if (e.op == BinOpKind::kSub) return of_difference(e);
    // If it is needed otherwise too, nothing would be saved.
    if ((e.op != BinOpKind::kMul && e.op != BinOpKind::kDiv) || depth == kDeepest ||
        env_.uses(*name) > 1)
      return std::nullopt;
    if (auto l = opposite(e.lhs, depth + 1))
      return Opposite{make(BinOp{e.op, e.type, l->value, e.rhs}), l->root};
    // The same zero as a divisor would be the same infinity.
    if (auto r = opposite(e.rhs, depth + 1); r && (e.op == BinOpKind::kMul || !r->root))
      return Opposite{make(BinOp{e.op, e.type, e.lhs, r->value}), r->root};
    return std::nullopt;
  }

  std::optional<Opposite> of_difference(const BinOp& e) {
    const auto earlier = [&](BinOpKind op, const Operand& lhs, const Operand& rhs) {
      return env_.earlier(BinOp{op, e.type, lhs, rhs}, e);
    };
    std::optional<Name> same;
    if (e.lhs != e.rhs) same = earlier(BinOpKind::kSub, e.rhs, e.lhs);
    if (const auto* left = env_.definition_as<UnOp>(e.lhs);
        !same && left != nullptr && left->op == UnOpKind::kNeg) {
      same = earlier(BinOpKind::kAdd, left->arg, e.rhs);
      if (!same) same = earlier(BinOpKind::kAdd, e.rhs, left->arg);
    }
    if (!same) return std::nullopt;
    return Opposite{*same, same};
  }

  Operand make(const BinOp& e) {
    Name name;
    before_.push_back(env_.make(scalar_type(e.type), e, "t", stmt_.loc, &name));
    return name;
  }

  Rewrite with(const BinOp& e) {
    Rewrite r = becomes(e);
    r.before = std::move(before_);
    return r;
  }

  const Stmt& stmt_;
  Env& env_;
  std::vector<Stmt> before_;
};

std::optional<Rewrite> float_sign(const Stmt& stmt, Env& env) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  if (!is_float(e.type)) return std::nullopt;
  return Signs(stmt, env).binary(e);
}

std::optional<Rewrite> float_sign_twice(const Stmt& stmt, Env& env) {
  const UnOp& e = *as<UnOp>(stmt.exp);
  if (!is_float(e.type) || e.op != UnOpKind::kNeg) return std::nullopt;
  const auto* inner = env.definition_as<UnOp>(e.arg);
  if (inner == nullptr || inner->op != UnOpKind::kNeg) return std::nullopt;
  return equals(inner->arg);
}

}  // namespace

Rules sign_rules() {
  return {{"float-sign", node_index<BinOp>(), float_sign, true},
          {"float-sign", node_index<UnOp>(), float_sign_twice, true}};
}

}  // namespace skald::passes::simplify_rules
