// SPDX-License-Identifier: Apache-2.0
#include "analysis/facts.h"

#include <algorithm>

#include "analysis/facts_limits.h"
#include "core/ir/visit.h"

namespace skald::analysis {

using namespace core;
using namespace limits;

void Facts::add(const Term& a, const Term& b, int64_t k) {
  if (a.name == b.name || a.name == UINT32_MAX || b.name == UINT32_MAX) return;
  const int64_t total = k + b.add - a.add;
  if (total > kLimit || total < -kLimit) return;
  bounds_[Name{a.name}].push_back({b.name, total});
  if (a.name == 0) floors_[Name{b.name}].push_back(total);
  log_.push_back({a.name, b.name, false, ++states_});
}

void Facts::undo(size_t mark) {
  while (log_.size() > mark) {
    const Entry entry = log_.back();
    log_.pop_back();
    if (entry.is_bool) {
      bools_.erase(Name{entry.name});
      continue;
    }
    bounds_[Name{entry.name}].pop_back();
    if (entry.name == 0) floors_[Name{entry.other}].pop_back();
  }
}

void Facts::is_positive(const Operand& n) {
  if (const Name* name = as_name(n)) add({}, {name->id, 0}, -1);
}

void Facts::is_size(const Operand& n) {
  const Name* name = as_name(n);
  if (name == nullptr) return;
  const Term size{name->id, 0};
  const auto known = bounds_.find(*name);
  // Sizes are mentioned again and again.
  if (known != bounds_.end())
    for (const Bound& bound : known->second)
      if (bound.other == 0 && bound.k <= kHuge) return;
  add({}, size, 0);
  add(size, {}, kHuge);
}

void Facts::is_index(Name i, const Operand& bound) {
  is_size(bound);
  const Term index{i.id, 0};
  add({}, index, 0);
  add(index, term(bound), -1);
}

Facts::Term Facts::term(const Operand& o, int depth) const {
  if (const Const* c = as_const(o))
    return is_signed_int(c->type) && int_value(*c) <= kHuge && int_value(*c) >= -kHuge
               ? Term{0, int_value(*c)}
               : Term{UINT32_MAX, 0};
  const Name name = *as_name(o);
  const Exp* exp = depth > kMaxDepth ? nullptr : definitions_(name);
  // Another name for it, after a check.
  if (const Value* same = exp == nullptr ? nullptr : as<Value>(*exp))
    return term(same->arg, depth + 1);
  const BinOp* op = exp == nullptr ? nullptr : as<BinOp>(*exp);
  if (op == nullptr || op->type != Prim::kI64) return {name.id, 0};
  const bool adds = op->op == BinOpKind::kAdd, subtracts = op->op == BinOpKind::kSub;
  const Const *left = as_const(op->lhs), *right = as_const(op->rhs);
  if ((!adds || (left == nullptr) == (right == nullptr)) && (!subtracts || right == nullptr))
    return {name.id, 0};
  const int64_t c = int_value(right != nullptr ? *right : *left);
  const Operand& base = right != nullptr ? op->lhs : op->rhs;
  if (c > kSmall || c < -kSmall) return {name.id, 0};
  const int64_t change = subtracts ? -c : c;
  const Term inner = term(base, depth + 1);
  // The sum must not wrap.
  const bool fits = change >= 0 ? proves(inner, {}, 2 * kHuge) : proves({}, inner, 2 * kHuge);
  if (!fits) return {name.id, 0};
  return {inner.name, inner.add + change};
}

bool Facts::at_most(const Operand& lhs, const Operand& rhs, int64_t k) const {
  if (proves(term(lhs), term(rhs), k)) return true;
  return interval(lhs).greatest <= interval(rhs).least + k;
}

std::optional<bool> Facts::decide(CmpOpKind op, const Interval& a, const Interval& b) {
  const bool below = a.greatest < b.least, above = b.greatest < a.least;
  switch (op) {
    case CmpOpKind::kLt:
      if (below) return true;
      if (b.greatest <= a.least) return false;
      break;
    case CmpOpKind::kLe:
      if (a.greatest <= b.least) return true;
      if (above) return false;
      break;
    case CmpOpKind::kEq:
    case CmpOpKind::kNe:
      if (below || above) return op == CmpOpKind::kNe;
      break;
  }
  return std::nullopt;
}

std::optional<bool> Facts::decide(const CmpOp& cmp) const {
  if (!is_int(cmp.type)) return std::nullopt;
  constexpr size_t kAnswers = 256;
  if (answers_.empty()) answers_.resize(kAnswers);
  const auto hash = [](const Operand& o) {
    const Name* name = as_name(o);
    return name != nullptr ? uint64_t{name->id} : ~as_const(o)->bits;
  };
  const uint64_t key = hash(cmp.lhs) * 31 + hash(cmp.rhs) * 7 + static_cast<uint64_t>(cmp.op);
  Answer& known = answers_[(key * 0x9E3779B97F4A7C15u) >> 56];
  if (known.state == state() && known.cmp.op == cmp.op && known.cmp.type == cmp.type &&
      known.cmp.lhs == cmp.lhs && known.cmp.rhs == cmp.rhs)
    return known.answer;
  known = {cmp, state(), compare(cmp)};
  return known.answer;
}

std::optional<bool> Facts::compare(const CmpOp& cmp) const {
  if (const std::optional<bool> known = decide(cmp.op, interval(cmp.lhs), interval(cmp.rhs)))
    return known;
  if (!is_signed_int(cmp.type)) return std::nullopt;
  const Term a = term(cmp.lhs), b = term(cmp.rhs);
  switch (cmp.op) {
    case CmpOpKind::kLt:
      if (proves(a, b, -1)) return true;
      if (proves(b, a, 0)) return false;
      break;
    case CmpOpKind::kLe:
      if (proves(a, b, 0)) return true;
      if (proves(b, a, -1)) return false;
      break;
    case CmpOpKind::kEq:
    case CmpOpKind::kNe: {
      const bool equal = cmp.op == CmpOpKind::kEq;
      if (proves(a, b, -1) || proves(b, a, -1)) return !equal;
      if (proves(a, b, 0) && proves(b, a, 0)) return equal;
      break;
    }
  }
  return std::nullopt;
}

std::optional<bool> Facts::decide(const Operand& cond) const {
  return decide(cond, 0);
}

std::optional<bool> Facts::decide(const Operand& cond, int depth) const {
  if (const Const* c = as_const(cond)) return c->bits != 0;
  const Name name = *as_name(cond);
  if (const auto known = bools_.find(name); known != bools_.end()) return known->second;
  const Exp* exp = depth > kMaxDepth ? nullptr : definitions_(name);
  if (exp == nullptr) return std::nullopt;
  if (const CmpOp* cmp = as<CmpOp>(*exp)) return decide(*cmp);
  if (const UnOp* op = as<UnOp>(*exp); op != nullptr && op->op == UnOpKind::kNot) {
    const std::optional<bool> arg = decide(op->arg, depth + 1);
    return arg ? std::optional<bool>(!*arg) : std::nullopt;
  }
  const BinOp* op = as<BinOp>(*exp);
  if (op == nullptr || op->type != Prim::kBool ||
      (op->op != BinOpKind::kAnd && op->op != BinOpKind::kOr))
    return std::nullopt;
  const bool absorbing = op->op == BinOpKind::kOr;
  const std::optional<bool> a = decide(op->lhs, depth + 1), b = decide(op->rhs, depth + 1);
  if ((a && *a == absorbing) || (b && *b == absorbing)) return absorbing;
  if (a && b) return !absorbing;
  return std::nullopt;
}

void Facts::assume(const Operand& cond, bool holds) {
  const Name* name = as_name(cond);
  if (name == nullptr) return;
  if (bools_.emplace(*name, holds).second) log_.push_back({name->id, 0, true, ++states_});
  const Exp* exp = definitions_(*name);
  if (exp == nullptr) return;
  if (const UnOp* op = as<UnOp>(*exp); op != nullptr && op->op == UnOpKind::kNot)
    return assume(op->arg, !holds);
  if (const BinOp* op = as<BinOp>(*exp); op != nullptr && op->type == Prim::kBool) {
    if (op->op == (holds ? BinOpKind::kAnd : BinOpKind::kOr)) {
      assume(op->lhs, holds);
      assume(op->rhs, holds);
    }
    return;
  }
  const CmpOp* cmp = as<CmpOp>(*exp);
  if (cmp == nullptr || !is_signed_int(cmp->type)) return;
  const Term a = term(cmp->lhs), b = term(cmp->rhs);
  switch (cmp->op) {
    case CmpOpKind::kLt: holds ? add(a, b, -1) : add(b, a, 0); break;
    case CmpOpKind::kLe: holds ? add(a, b, 0) : add(b, a, -1); break;
    case CmpOpKind::kEq:
    case CmpOpKind::kNe:
      if (holds == (cmp->op == CmpOpKind::kEq)) {
        add(a, b, 0);
        add(b, a, 0);
      } else if (proves(a, b, 0)) {
        // Not at the end of its range: the inner part of a stencil.
        add(a, b, -1);
      } else if (proves(b, a, 0)) {
        add(b, a, -1);
      }
      break;
  }
}

void Facts::defined(Name name, const Exp& exp) {
  const Term me{name.id, 0};
  if (const BinOp* op = as<BinOp>(exp); op != nullptr && is_signed_int(op->type)) {
    const Term a = term(op->lhs), b = term(op->rhs);
    if (op->op == BinOpKind::kMin) {
      add(me, a, 0);
      add(me, b, 0);
    } else if (op->op == BinOpKind::kMax) {
      add(a, me, 0);
      add(b, me, 0);
    } else if (op->op == BinOpKind::kMod && proves({}, b, -1)) {
      add({}, me, 0);
      add(me, b, -1);
    } else if (op->op == BinOpKind::kSub && as_name(op->rhs) != nullptr && proves({}, b, 0) &&
               proves(b, a, 0)) {
      // 0 ≤ b ≤ a: backwards through an array.
      add({}, me, 0);
      add(me, a, 0);
    }
  }
  if (const Convert* convert = as<Convert>(exp);
      convert != nullptr && is_signed_int(convert->from) && is_signed_int(convert->to) &&
      prim_size(convert->from) <= prim_size(convert->to)) {
    add(me, term(convert->arg), 0);
    add(term(convert->arg), me, 0);
  }
  // What fits in fewer bits.
  if (const Convert* convert = as<Convert>(exp); convert != nullptr && convert->to == Prim::kI64 &&
                                                 is_int(convert->from) &&
                                                 prim_size(convert->from) < prim_size(Prim::kI64)) {
    const int bits = 8 * static_cast<int>(prim_size(convert->from));
    const bool is_signed = is_signed_int(convert->from);
    const int64_t most = (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    add(me, {}, most);
    add({}, me, is_signed ? most + 1 : 0);
  }
}

}  // namespace skald::analysis
