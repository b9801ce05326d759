// SPDX-License-Identifier: Apache-2.0
// Loops.
//
//   loop-invariant   loop {a = x, b = y} for … do … in {a, b'}     a never changes: it is x
//   loop-never       loop … for i < 0 do …                         the results are the initial
//   values
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

void bind_value(std::vector<Stmt>& out, Param param, const Operand& value, Loc loc) {
  Stmt stmt{{}, Value{value}, {}, {}, loc};
  const Name* name = as_name(value);
  if (param.type.is_array() && name != nullptr) stmt.exp = Reshape{*name, param.type.shape};
  stmt.pat.push_back(std::move(param));
  out.push_back(std::move(stmt));
}

}  // namespace

bool simplify_loop(Stmt& stmt, std::vector<Stmt>& out, Env& /*env*/, PassContext& ctx) {
  Loop* loop = as<Loop>(stmt.exp);
  if (loop == nullptr) return false;
  for (const Param& p : stmt.pat)
    if (!p.mem.empty() || p.type.kind == Type::kMem) return false;
  if (loop->form == Loop::kFor) {
    const Const* bound = as_const(loop->bound);
    if (bound != nullptr && is_signed_int(bound->type) && int_value(*bound) <= 0 &&
        ctx.may_rewrite("loop-never")) {
      for (size_t k = 0; k < stmt.pat.size(); ++k)
        bind_value(out, std::move(stmt.pat[k]), loop->params[k].init, stmt.loc);
      stmt.pat.clear();
      return true;
    }
  }
  bool changed = false;
  for (size_t k = loop->params.size(); k-- > 0;) {
    const LoopParam& p = loop->params[k];
    if (p.param.unique || !(loop->body.result[k] == Operand{p.param.name})) continue;
    if (!p.param.type.is_scalar() && !p.param.type.is_array()) continue;
    if (loop->form == Loop::kWhile && loop->cond == p.param.name) continue;
    // Types of other parameters and of the results may mention it; an array keeps its name.
    if (p.param.type.is_array()) continue;
    if (!ctx.may_rewrite("loop-invariant")) return changed;
    Substitution subst;
    subst.emplace(p.param.name, p.init);
    for (LoopParam& other : loop->params) substitute(other.param.type, subst);
    substitute(loop->body, subst);
    bind_value(out, std::move(stmt.pat[k]), p.init, stmt.loc);
    const auto at = static_cast<ptrdiff_t>(k);
    stmt.pat.erase(stmt.pat.begin() + at);
    loop->body.result.erase(loop->body.result.begin() + at);
    loop->params.erase(loop->params.begin() + at);
    changed = true;
  }
  return changed;
}

}  // namespace skald::passes::simplify_rules
