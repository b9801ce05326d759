// SPDX-License-Identifier: Apache-2.0
#include "imp/passes/fuse/accesses.h"

#include <algorithm>

#include "imp/ir/visit.h"

namespace skald::imp {

namespace {

// Sums of a few of them are still numbers.
constexpr int64_t kFarthest = int64_t{1} << 40;

std::optional<int64_t> near_constant(const Operand& operand) {
  const Const* c = core::as_const(operand);
  if (c == nullptr || c->type != Prim::kI64) return std::nullopt;
  const int64_t value = core::int_value(*c);
  return value > -kFarthest && value < kFarthest ? std::optional(value) : std::nullopt;
}

}  // namespace

LoopAccesses::LoopAccesses(For& loop, const Facts& facts) : loop_(loop), facts_(facts) {
  look(loop.body, true, false);
}

bool LoopAccesses::writes(Name block) const {
  return std::ranges::any_of(
      all_, [&](const LoopAccess& a) { return a.writes && facts_.may_overlap(a.block, block); });
}

bool LoopAccesses::touches(Name block) const {
  return std::ranges::any_of(
      all_, [&](const LoopAccess& a) { return facts_.may_overlap(a.block, block); });
}

void LoopAccesses::look(Body& body, bool always, bool not_first) {
  const auto add = [&](Stmt& stmt, const auto& n, bool writes) {
    const bool of_first = facts_.same_value(n.index, loop_.begin);
    all_.push_back({&stmt, n.block, n.type, writes, offset(n.index), of_first, always, not_first});
  };
  for (Stmt& stmt : body.stmts) {
    if (const auto* load = as<Load>(stmt)) {
      add(stmt, *load, false);
    } else if (const auto* store = as<Store>(stmt)) {
      add(stmt, *store, true);
    } else if (auto* branch = as<If>(stmt)) {
      look(branch->then_body, false, not_first || excludes_first(branch->cond, true));
      look(branch->else_body, false, not_first || excludes_first(branch->cond, false));
    } else if (auto* loop = as<For>(stmt)) {
      look(loop->body, false, not_first);
    } else if (as<Check>(stmt) != nullptr) {
      can_fail_ = true;
    } else if (as<Let>(stmt) == nullptr && as<Var>(stmt) == nullptr &&
               as<Assign>(stmt) == nullptr) {
      plain_ = false;
    }
  }
}

// i, i + c, c + i, i - c
std::optional<int64_t> LoopAccesses::offset(const Operand& index, int depth) const {
  const Operand original = facts_.original(index);
  if (original == Operand{loop_.var}) return 0;
  const Exp* exp = facts_.definition(original);
  const auto* op = exp == nullptr || depth == 0 ? nullptr : std::get_if<core::BinOp>(exp);
  if (op == nullptr || op->type != Prim::kI64) return std::nullopt;
  if (op->op != BinOpKind::kAdd && op->op != BinOpKind::kSub) return std::nullopt;
  const bool subtracts = op->op == BinOpKind::kSub;
  std::optional<int64_t> constant = near_constant(facts_.original(op->rhs));
  const bool swapped = !constant && !subtracts;
  if (swapped) constant = near_constant(facts_.original(op->lhs));
  if (!constant) return std::nullopt;
  const std::optional<int64_t> rest = offset(swapped ? op->rhs : op->lhs, depth - 1);
  if (!rest) return std::nullopt;
  return *rest + (subtracts ? -*constant : *constant);
}

// How far it is above the first value of the counter, if that is known.
std::optional<int64_t> LoopAccesses::from_begin(const Operand& operand) const {
  if (facts_.same_value(operand, loop_.begin)) return 0;
  const auto value = near_constant(facts_.original(operand));
  const auto begin = near_constant(facts_.original(loop_.begin));
  return value && begin ? std::optional(*value - *begin) : std::nullopt;
}

// Is it not the first iteration if the condition holds (or does not)?
bool LoopAccesses::excludes_first(const Operand& cond, bool holds, int depth) const {
  const Exp* exp = depth == 0 ? nullptr : facts_.definition(cond);
  if (exp == nullptr) return false;
  if (const auto* copy = std::get_if<core::Value>(exp))
    return core::as_name(copy->arg) != nullptr && excludes_first(copy->arg, holds, depth - 1);
  if (const auto* op = std::get_if<core::UnOp>(exp))
    return op->op == UnOpKind::kNot && op->type == Prim::kBool &&
           excludes_first(op->arg, !holds, depth - 1);
  if (const auto* op = std::get_if<core::BinOp>(exp))
    return op->type == Prim::kBool && op->op == (holds ? BinOpKind::kAnd : BinOpKind::kOr) &&
           (excludes_first(op->lhs, holds, depth - 1) || excludes_first(op->rhs, holds, depth - 1));
  const auto* c = std::get_if<core::CmpOp>(exp);
  if (c == nullptr || c->type != Prim::kI64) return false;
  const bool left = facts_.original(c->lhs) == Operand{loop_.var};
  if (!left && facts_.original(c->rhs) != Operand{loop_.var}) return false;
  const std::optional<int64_t> other = from_begin(left ? c->rhs : c->lhs);
  if (!other) return false;
  // The comparison of the first value itself.
  const int64_t lhs = left ? 0 : *other, rhs = left ? *other : 0;
  switch (c->op) {
    case CmpOpKind::kEq: return (lhs == rhs) != holds;
    case CmpOpKind::kNe: return (lhs != rhs) != holds;
    case CmpOpKind::kLt: return (lhs < rhs) != holds;
    case CmpOpKind::kLe: return (lhs <= rhs) != holds;
  }
  return false;
}

bool counts_up(const For& loop) {
  return loop.type == Prim::kI64 && loop.step == Operand{const_i64(1)};
}

bool same_range(const For& a, const For& b, const Facts& facts) {
  return counts_up(a) && counts_up(b) && facts.same_value(a.begin, b.begin) &&
         facts.same_value(a.end, b.end);
}

bool keeps_order(const LoopAccesses& earlier, const LoopAccesses& later, const Facts& facts) {
  for (const LoopAccess& a : earlier.all())
    for (const LoopAccess& b : later.all()) {
      if ((!a.writes && !b.writes) || !facts.may_overlap(a.block, b.block)) continue;
      if (a.block != b.block || a.type != b.type || !a.offset) return false;
      // The first iteration of `earlier` has written it.
      if (a.writes && a.offset == 0 && !b.writes && b.of_first) continue;
      if (!b.offset) return false;
      // Element e is touched in the iterations e - a.offset and e - b.offset.
      if (*b.offset > *a.offset) return false;
    }
  return true;
}

Source source_of(const LoopAccess& load, const std::vector<LoopAccess>& all) {
  if (!load.offset) return {};
  Source nearest;
  bool before = true;
  for (const LoopAccess& a : all) {
    if (&a == &load) before = false;
    if (!a.writes || a.block != load.block) continue;
    if (!a.always || !a.offset || a.type != load.type) return {};
    const int64_t distance = *a.offset - *load.offset;
    if (distance < 0 || (distance == 0 && !before)) continue;
    // Of several in the same iteration, the last.
    if (nearest.store == nullptr || distance <= nearest.distance) nearest = {&a, distance};
  }
  return nearest;
}

}  // namespace skald::imp
