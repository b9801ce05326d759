// SPDX-License-Identifier: Apache-2.0
#include "imp/analysis/facts.h"

#include "imp/analysis/block_classes.h"

namespace skald::imp {

Facts::Facts(const Function& fn) {
  collect(fn.body);
}

void Facts::collect(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    if (const auto* let = as<Let>(stmt)) {
      definitions_.emplace(let->name, let->exp);
    } else if (const auto* load = as<Load>(stmt)) {
      loads_.emplace(load->name, *load);
    } else if (const auto* var = as<Var>(stmt)) {
      variables_.insert(var->name);
    }
    // Scalars among them do no harm.
    for_each_same_block(stmt, [&](Name a, Name b) { unite(a, b); });
    for_each_body(stmt, [&](const Body& inner) { collect(inner); });
  }
}

Name Facts::block_class(Name name) const {
  for (auto found = parents_.find(name); found != parents_.end(); found = parents_.find(name))
    name = found->second;
  return name;
}

void Facts::unite(Name a, Name b) {
  const Name x = block_class(a), y = block_class(b);
  if (x != y) parents_.emplace(x, y);
}

const Exp* Facts::definition(const Operand& operand) const {
  const Name* name = core::as_name(operand);
  if (name == nullptr) return nullptr;
  const auto found = definitions_.find(*name);
  return found == definitions_.end() ? nullptr : &found->second;
}

Operand Facts::original(Operand operand) const {
  while (const Exp* exp = definition(operand)) {
    const auto* copy = std::get_if<core::Value>(exp);
    const Name* name = copy == nullptr ? nullptr : core::as_name(copy->arg);
    if (copy == nullptr || (name != nullptr && is_variable(*name))) break;
    operand = copy->arg;
  }
  return operand;
}

const Load* Facts::load(const Operand& operand) const {
  const Name* name = core::as_name(operand);
  if (name == nullptr) return nullptr;
  const auto found = loads_.find(*name);
  return found == loads_.end() ? nullptr : &found->second;
}

bool Facts::same_value(const Operand& first, const Operand& second, int depth) const {
  const Operand a = original(first), b = original(second);
  if (a == b) {
    const Name* name = core::as_name(a);
    return name == nullptr || !is_variable(*name);
  }
  if (depth == 0) return false;
  const Exp *x = definition(a), *y = definition(b);
  if (x == nullptr || y == nullptr) return false;
  if (const auto *p = std::get_if<core::BinOp>(x), *q = std::get_if<core::BinOp>(y);
      p != nullptr && q != nullptr) {
    if (p->op != q->op || p->type != q->type || !is_int(p->type)) return false;
    if (same_value(p->lhs, q->lhs, depth - 1) && same_value(p->rhs, q->rhs, depth - 1)) return true;
    return (p->op == BinOpKind::kAdd || p->op == BinOpKind::kMul) &&
           same_value(p->lhs, q->rhs, depth - 1) && same_value(p->rhs, q->lhs, depth - 1);
  }
  if (const auto *p = std::get_if<core::Convert>(x), *q = std::get_if<core::Convert>(y);
      p != nullptr && q != nullptr)
    return p->from == q->from && p->to == q->to && same_value(p->arg, q->arg, depth - 1);
  return false;
}

std::unordered_set<Name> bound_or_assigned(const Body& body) {
  std::unordered_set<Name> names;
  const auto walk = [&](const auto& self, const Body& at) -> void {
    for (const Stmt& stmt : at.stmts) {
      for_each_binder(stmt, [&](Name name, const Type&, BinderScope) { names.insert(name); });
      if (const auto* assign = as<Assign>(stmt)) names.insert(assign->var);
      if (const auto* collect = as<Collect>(stmt)) names.insert(collect->next);
      for_each_body(stmt, [&](const Body& inner) { self(self, inner); });
    }
  };
  walk(walk, body);
  return names;
}

int count_uses(const Stmt& stmt, Name name) {
  int uses = 0;
  for_each_use(stmt, [&](const Operand& operand) { uses += operand == Operand{name}; });
  for_each_body(stmt, [&](const Body& inner) { uses += count_uses(inner, name); });
  return uses;
}

int count_uses(const Body& body, Name name) {
  int uses = 0;
  for (const Stmt& stmt : body.stmts) uses += count_uses(stmt, name);
  return uses;
}

void drop_unused(Body& body) {
  std::unordered_set<Name> used;
  const auto use = [&](const auto& self, const Stmt& stmt) -> void {
    for_each_use(stmt, [&](const Operand& o) {
      if (const Name* name = core::as_name(o)) used.insert(*name);
    });
    for_each_body(stmt, [&](const Body& inner) {
      for (const Stmt& s : inner.stmts) self(self, s);
    });
  };
  std::vector<Stmt> kept;
  for (size_t k = body.stmts.size(); k-- > 0;) {
    const auto* let = as<Let>(body.stmts[k]);
    const auto* load = as<Load>(body.stmts[k]);
    if (let != nullptr && !used.contains(let->name)) continue;
    if (load != nullptr && !used.contains(load->name)) continue;
    use(use, body.stmts[k]);
    kept.push_back(std::move(body.stmts[k]));
  }
  body.stmts.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

}  // namespace skald::imp
