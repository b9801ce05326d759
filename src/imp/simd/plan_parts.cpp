// SPDX-License-Identifier: Apache-2.0
#include "imp/simd/plan_parts.h"

#include <algorithm>

#include "imp/ir/visit.h"
#include "support/bug.h"

namespace skald::imp {

bool has_large_arrays(const Body& body) {
  return std::ranges::any_of(body.stmts, [](const Stmt& stmt) {
    if (const auto* alloc = as<Alloc>(stmt)) {
      const Const* bytes = core::as_const(alloc->bytes);
      if (bytes == nullptr || core::int_value(*bytes) > kSmallArray) return true;
    }
    bool inside = false;
    for_each_body(stmt, [&](const Body& inner) { inside = inside || has_large_arrays(inner); });
    return inside;
  });
}

namespace {

void add_definitions(const Body& body, Definitions& made) {
  for (const Stmt& stmt : body.stmts) {
    if (const auto* let = as<Let>(stmt)) made.emplace(let->name, &let->exp);
    for_each_body(stmt, [&](const Body& inner) { add_definitions(inner, made); });
  }
}

Const least(Prim type) {
  const int bits = 8 * static_cast<int>(prim_size(type));
  return core::const_int(type, is_signed_int(type) ? -(int64_t{1} << (bits - 1)) : 0);
}

}  // namespace

Definitions definitions_in(const Body& body) {
  Definitions made;
  add_definitions(body, made);
  return made;
}

// ---- borders

Border make_border(Name name, const Exp& exp, bool linear_left) {
  if (const auto* e = std::get_if<core::CmpOp>(&exp)) return {name, *e, linear_left};
  if (const auto* e = std::get_if<core::Convert>(&exp))
    return {name,
            {CmpOpKind::kLt, e->from, e->arg, least(e->from)},
            /*linear_left=*/true,
            Border::kExtends};
  const auto* e = std::get_if<core::BinOp>(&exp);
  SKALD_CHECK(e != nullptr, "a border that is no comparison, extension or clamp");
  // min(linear, most) is linear while linear <= most.
  const Operand &linear = linear_left ? e->lhs : e->rhs, &bound = linear_left ? e->rhs : e->lhs;
  const bool upper = e->op == BinOpKind::kMin;
  return {name,
          {CmpOpKind::kLe, e->type, upper ? linear : bound, upper ? bound : linear},
          /*linear_left=*/upper,
          Border::kClamps};
}

LaneBorder mark_of(const Border& border, const Exp& exp) {
  const core::CmpOp& c = border.comparison;
  if (border.kind != Border::kClamps) return {border.name, border.linear_left};
  const Operand& linear = border.linear_left ? c.lhs : c.rhs;
  return {border.name, std::get<core::BinOp>(exp).lhs == linear};
}

std::vector<Border> borders_of(const LanePlan& plan, const Definitions& made) {
  std::vector<Border> result;
  for (const LaneBorder& border : plan.borders)
    result.push_back(make_border(border.name, *made.at(border.name), border.linear_left));
  return result;
}

// ---- stores

namespace {

// The statements of the body that compute an operand, in their order.
class NeededLets {
 public:
  explicit NeededLets(const For& loop) : var_(loop.var) {
    for (const Stmt& stmt : loop.body.stmts) {
      if (const Let* let = as<Let>(stmt)) lets_[let->name] = &stmt;
      for_each_binder(stmt, [&](Name name, const Type&, BinderScope) { bound_.insert(name); });
    }
  }
  // False if it depends on anything else in the body.
  bool add(const Operand& operand) {
    const Name* name = core::as_name(operand);
    if (name == nullptr || *name == var_ || !bound_.contains(*name) || seen_.contains(*name))
      return true;
    const auto found = lets_.find(*name);
    if (found == lets_.end()) return false;
    seen_.insert(*name);
    bool all = true;
    for_each_use(*found->second, [&](const Operand& used) { all = all && add(used); });
    result_.push_back(as<Let>(*found->second));
    return all;
  }
  std::vector<const Let*> result() { return std::move(result_); }

 private:
  Name var_;
  std::unordered_map<Name, const Stmt*> lets_;
  std::unordered_set<Name> bound_, seen_;
  std::vector<const Let*> result_;
};

}  // namespace

RowStore row_store(const For& loop, size_t statement) {
  const Store* store = as<Store>(loop.body.stmts[statement]);
  NeededLets needed(loop);
  if (store == nullptr || !needed.add(store->index)) return {};
  return {store, needed.result()};
}

// ---- checks and branches

std::unordered_set<const Stmt*> checks_and_needs(const Body& body,
                                                 std::unordered_set<Name>& needed) {
  std::unordered_set<const Stmt*> found;
  for (auto s = body.stmts.rbegin(); s != body.stmts.rend(); ++s) {
    if (const auto* n = as<Check>(*s)) {
      found.insert(&*s);
      if (const Name* name = core::as_name(n->cond)) needed.insert(*name);
      continue;
    }
    const auto* let = as<Let>(*s);
    const auto* load = as<Load>(*s);
    if (let == nullptr && load == nullptr) continue;
    if (!needed.contains(let != nullptr ? let->name : load->name)) continue;
    found.insert(&*s);
    for_each_use(*s, [&](const Operand& operand) {
      if (const Name* name = core::as_name(operand)) needed.insert(*name);
    });
  }
  return found;
}

namespace {

void collect_assigned(const Body& body, std::vector<Name>& assigned, std::vector<Name>& own) {
  for (const Stmt& stmt : body.stmts) {
    if (const auto* n = as<Var>(stmt)) own.push_back(n->name);
    if (const auto* n = as<Assign>(stmt)) assigned.push_back(n->var);
    for_each_body(stmt, [&](const Body& inner) { collect_assigned(inner, assigned, own); });
  }
}

void collect_accesses(const Body& body, Accessed& found) {
  for (const Stmt& stmt : body.stmts) {
    if (const auto* n = as<Load>(stmt)) found.read.push_back(n->block);
    if (const auto* n = as<Store>(stmt)) found.written.push_back(n->block);
    if (const auto* n = as<Fill>(stmt)) found.written.push_back(n->block);
    if (const auto* n = as<CopyBytes>(stmt)) {
      found.read.push_back(n->src);
      found.written.push_back(n->dest);
    }
    for_each_body(stmt, [&](const Body& inner) { collect_accesses(inner, found); });
  }
}

}  // namespace

std::vector<Name> assigned_outside(const Body& then_body, const Body& else_body) {
  std::vector<Name> assigned, own;
  collect_assigned(then_body, assigned, own);
  collect_assigned(else_body, assigned, own);
  std::erase_if(assigned, [&](Name name) { return std::ranges::count(own, name) > 0; });
  std::ranges::sort(assigned, {}, &Name::id);
  assigned.erase(std::ranges::unique(assigned).begin(), assigned.end());
  return assigned;
}

Accessed accessed_by(const Body& body) {
  Accessed found;
  collect_accesses(body, found);
  return found;
}

}  // namespace skald::imp
