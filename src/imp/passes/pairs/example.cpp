// SPDX-License-Identifier: Apache-2.0
#include "imp/passes/pairs/example.h"

#include "core/scalar/scalar.h"

namespace skald::imp {

namespace {

bool is_exact(Prim type) {
  return is_int(type) || type == Prim::kBool;
}

bool divides(BinOpKind op) {
  return op == BinOpKind::kDiv || op == BinOpKind::kMod || op == BinOpKind::kQuot ||
         op == BinOpKind::kRem;
}

}  // namespace

std::optional<Const> Example::result(const Exp& exp, int depth) {
  if (const auto* e = std::get_if<core::BinOp>(&exp)) {
    if (!is_exact(e->type) || e->op == BinOpKind::kPow) return std::nullopt;
    const auto a = value(e->lhs, e->type, depth), b = value(e->rhs, e->type, depth);
    if (!a || !b || (divides(e->op) && b->bits == 0)) return std::nullopt;
    return core::eval(e->op, e->type, *a, *b);
  }
  if (const auto* e = std::get_if<core::CmpOp>(&exp)) {
    if (!is_exact(e->type)) return std::nullopt;
    const auto a = value(e->lhs, e->type, depth), b = value(e->rhs, e->type, depth);
    if (!a || !b) return std::nullopt;
    return core::eval(e->op, e->type, *a, *b);
  }
  if (const auto* e = std::get_if<core::UnOp>(&exp)) {
    if (!is_exact(e->type)) return std::nullopt;
    const auto a = value(e->arg, e->type, depth);
    if (!a) return std::nullopt;
    return core::eval(e->op, e->type, *a);
  }
  if (const auto* e = std::get_if<core::Convert>(&exp)) {
    if (!is_exact(e->from) || !is_exact(e->to)) return std::nullopt;
    const auto a = value(e->arg, e->from, depth);
    if (!a) return std::nullopt;
    return core::eval_convert(e->from, e->to, *a);
  }
  return std::nullopt;
}

std::optional<Const> Example::value(const Operand& operand, Prim type, int depth) {
  if (const Const* c = core::as_const(operand)) return *c;
  const Name name = *core::as_name(operand);
  const auto as_const = [&](const std::optional<uint64_t>& bits) -> std::optional<Const> {
    return bits ? std::optional(Const{type, *bits}) : std::nullopt;
  };
  if (const auto found = values_.find(name); found != values_.end()) return as_const(found->second);
  std::optional<uint64_t> bits;
  if (const Exp* exp = facts_.definition(operand)) {
    std::optional<Const> result;
    if (depth == 0) return std::nullopt;
    if (const auto* e = std::get_if<core::Value>(exp)) {
      result = value(e->arg, type, depth - 1);
    } else if (const auto* e = std::get_if<core::Select>(exp)) {
      const auto cond = value(e->cond, Prim::kBool, depth - 1);
      if (cond) result = value(cond->bits != 0 ? e->then : e->otherwise, type, depth - 1);
    } else {
      result = this->result(*exp, depth - 1);
    }
    if (result) bits = result->bits;
  } else if (!facts_.is_variable(name) && facts_.load(operand) == nullptr && is_int(type) &&
             prim_size(type) >= 4) {
    bits = static_cast<uint64_t>(next_ += 17);
  }
  values_[name] = bits;
  return as_const(bits);
}

}  // namespace skald::imp
