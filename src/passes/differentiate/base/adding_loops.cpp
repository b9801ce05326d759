// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/base/adding_loops.h"

#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/visit.h"

namespace skald::passes::ad {

namespace {

// Does it bind numbers, checks and views alone?
bool is_scalar_code(const Body& body) {
  return std::ranges::all_of(body.stmts, [](const Stmt& stmt) {
    if (as<Call>(stmt.exp) != nullptr || as<WithVjp>(stmt.exp) != nullptr) return false;
    const bool is_view = as<Index>(stmt.exp) != nullptr || as<Rearrange>(stmt.exp) != nullptr ||
                         as<Iota>(stmt.exp) != nullptr;
    const bool fits = std::ranges::all_of(stmt.pat, [&](const Param& p) {
      return p.type.kind != Type::kAcc && (is_view || !p.type.is_array());
    });
    bool inside = true;
    for_each_body(stmt.exp, [&](const Body& inner) { inside = inside && is_scalar_code(inner); });
    return fits && inside;
  });
}

int count_uses(const Body& body, Name name) {
  int uses = 0;
  const auto count = [&](const Operand& operand) { uses += operand == Operand(name) ? 1 : 0; };
  for (const Stmt& stmt : body.stmts) {
    for_each_operand(stmt.exp, count);
    for_each_body(stmt.exp, [&](const Body& inner) { uses += count_uses(inner, name); });
  }
  for (const Operand& result : body.result) count(result);
  return uses;
}

// Is the result the parameter plus or minus something that does not depend on it?  The sums on the
// way are used once each.
bool only_adds(const Body& body, Name param, const Operand& result) {
  Name sum = param;
  for (const Stmt& stmt : body.stmts) {
    const auto* e = as<BinOp>(stmt.exp);
    if (e == nullptr) continue;
    const bool left = e->lhs == Operand(sum), right = e->rhs == Operand(sum);
    if (!left && !right) continue;
    const bool adds = e->op == BinOpKind::kAdd || (e->op == BinOpKind::kSub && left);
    if (!adds || count_uses(body, sum) != 1) return false;
    sum = stmt.pat[0].name;
  }
  return sum != param && result == Operand(sum) && count_uses(body, sum) == 1;
}

bool is_adding_loop(const Loop& e) {
  if (e.form != Loop::kFor || e.params.empty() || !is_scalar_code(e.body)) return false;
  for (size_t k = 0; k < e.params.size(); ++k) {
    const Param& p = e.params[k].param;
    if (!p.type.is_scalar() || p.type.elem == Prim::kBool ||
        !only_adds(e.body, p.name, e.body.result[k]))
      return false;
  }
  return true;
}

void turn_adding_loop(Session& session, Stmt stmt, Emit& out) {
  Loop e = std::move(*as<Loop>(stmt.exp));
  Soac soac;
  soac.width = out.convert(e.var.type.elem, Prim::kI64, e.bound);
  // No rounds if the bound is negative.
  soac.width = out.bin(BinOpKind::kMax, Prim::kI64, soac.width, const_i64(0));
  const Type numbers = array_of(soac.width, scalar_type(Prim::kI64));
  soac.inputs = {
      out.let1(numbers, Iota{Prim::kI64, soac.width, const_i64(0), const_i64(1)}, "numbers")};
  const Name at = out.fresh("i");
  soac.fn.params = {{.name = at, .type = scalar_type(Prim::kI64)}};
  session.learn(soac.fn.params);
  Emit in(session, stmt.loc);
  in.bind(e.var.name, e.var.type, in.convert(Prim::kI64, e.var.type.elem, at));
  std::vector<Type> types;
  for (const LoopParam& p : e.params) {
    const Type type = p.param.type;
    in.bind(p.param.name, type, Const{type.elem, 0});
    soac.fn.results.push_back({.type = type});
    soac.reduces.push_back({addition(session, {type}), {Operand(Const{type.elem, 0})}, true});
    types.push_back(type);
  }
  for (Stmt& inner : e.body.stmts) in.append(std::move(inner));
  soac.fn.body = in.b().finish(std::move(e.body.result));
  const std::vector<Name> sums = out.let(types, std::move(soac), "sum", stmt.tokens);
  for (size_t k = 0; k < sums.size(); ++k) {
    const Operand& start = e.params[k].init;
    const Const* c = as_const(start);
    out.bind(stmt.pat[k].name, types[k],
             c != nullptr && c->bits == 0 ? Operand(sums[k]) : out.add(start, sums[k], types[k]));
  }
}

}  // namespace

void turn_adding_loops(Session& session, Body& body) {
  std::vector<Stmt> old = std::move(body.stmts);
  Emit out(session);
  for (Stmt& stmt : old) {
    for_each_body(stmt.exp, [&](Body& inner) { turn_adding_loops(session, inner); });
    out.set_loc(stmt.loc);
    const auto* loop = as<Loop>(stmt.exp);
    if (loop != nullptr && is_adding_loop(*loop))
      turn_adding_loop(session, std::move(stmt), out);
    else
      out.append(std::move(stmt));
  }
  body.stmts = out.b().finish({}).stmts;
}

}  // namespace skald::passes::ad
