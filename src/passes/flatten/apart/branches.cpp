// SPDX-License-Identifier: Apache-2.0
// Branches around writes.
//
//   before   let {a', r} = if c then … update_acc(a, {i}, {v}) … {a'', x} else … {a, y}
//   after    let {r, i', v'} = if c then … {x, i, v} else … {y, 0, 0}
//            update_acc(a, {select(c, i', -1)}, {v'})
//
// What is out of bounds is ignored.  Maps and loops that write on one side become nests around the
// branch, whose arrays the other side does not fill.
#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/flatten/apart/apart.h"

namespace skald::passes::apart {

using namespace core;

namespace {

// A value that nobody looks at.
Operand any_value(Builder& out, const Type& type) {
  if (type.is_scalar()) return Const{type.elem, 0};
  return out.let1(type, Scratch{type.elem, type.shape}, "unused");
}

void give_more(Program& prog, Body& body, const std::vector<Param>& own,
               const std::vector<Param>& others, bool own_first) {
  Builder out(prog);
  for (Stmt& stmt : body.stmts) out.append(std::move(stmt));
  std::vector<Operand> results = std::move(body.result);
  const auto add_own = [&] {
    for (const Param& p : own) results.emplace_back(p.name);
  };
  if (own_first) add_own();
  for (const Param& p : others) results.push_back(any_value(out, p.type));
  if (!own_first) add_own();
  body = out.finish(std::move(results));
}

}  // namespace

// Writes only where the condition holds, or only where it does not.
void Apart::guard(std::vector<Stmt>& stmts, const Operand& cond, bool positive) {
  Builder out(prog_);
  for (Stmt& stmt : stmts) {
    out.set_loc(stmt.loc);
    if (auto* update = as<UpdateAcc>(stmt.exp)) {
      const Operand none = const_i64(-1), at = update->indices[0];
      update->indices[0] =
          out.let1(scalar_type(Prim::kI64),
                   positive ? Select{cond, at, none} : Select{cond, none, at}, "at");
      inside_.insert(std::get<Name>(update->indices[0]));
    } else if (auto* soac = as<Soac>(stmt.exp)) {
      guard(soac->fn.body.stmts, cond, positive);
    }
    out.append(std::move(stmt));
  }
  stmts = std::move(out.stmts());
}

// What the writes of one side need must have a size that is known outside.
bool Apart::take_side(Side& side) {
  const bool was = std::exchange(in_branch_, true);
  const bool done = take(*side.body, side.roots, side.writes);
  in_branch_ = was;
  if (!done) return false;
  NameSet needed;
  for (const Writes& writes : side.writes)
    for (const Stmt& stmt : writes.stmts) needed.merge(free_names(stmt));
  for (const Stmt& stmt : side.body->stmts)
    for (const Param& p : stmt.pat) {
      if (!needed.contains(p.name)) continue;
      if (p.type.kind != Type::kArray || !is_outside(p.type)) return false;
      side.needed.push_back(p);
    }
  return true;
}

bool Apart::branch(Builder& kept, Stmt& stmt, Roots& roots, std::vector<Writes>& all) {
  If& node = *as<If>(stmt.exp);
  Side sides[2] = {{&node.then_body, roots, {}, {}}, {&node.else_body, roots, {}, {}}};
  for (Side& side : sides)
    if (!take_side(side)) return false;
  std::vector<Param> pat;
  std::vector<Operand> results[2];
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    if (!holds_accumulator(stmt.pat[k].type)) {
      pat.push_back(stmt.pat[k]);
      for (size_t s = 0; s < 2; ++s) results[s].push_back(sides[s].body->result[k]);
      continue;
    }
    const Name first = sides[0].roots.at(std::get<Name>(node.then_body.result[k]));
    const Name second = sides[1].roots.at(std::get<Name>(node.else_body.result[k]));
    if (first != second) return false;
    roots.emplace(stmt.pat[k].name, first);
  }
  // The writes know what they need by its name inside, so these become names outside.
  std::vector<Param> given[2];
  for (size_t s = 0; s < 2; ++s) {
    sides[s].body->result = std::move(results[s]);
    Substitution shown;
    for (const Param& p : sides[s].needed) {
      given[s].push_back({prog_.names.fresh_like(p.name), p.type});
      shown.emplace(p.name, given[s].back().name);
      inside_.insert(given[s].back().name);
    }
    pat.insert(pat.end(), given[s].begin(), given[s].end());
    for (Writes& writes : sides[s].writes) {
      for (Stmt& each : writes.stmts) substitute(each, shown);
      guard(writes.stmts, node.cond, s == 0);
      all.push_back(std::move(writes));
    }
  }
  give_more(prog_, node.then_body, sides[0].needed, sides[1].needed, true);
  give_more(prog_, node.else_body, sides[1].needed, sides[0].needed, false);
  if (pat.empty()) return stmt.tokens.empty();
  stmt.pat = std::move(pat);
  kept.append(std::move(stmt));
  return true;
}

}  // namespace skald::passes::apart
