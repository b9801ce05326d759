// SPDX-License-Identifier: Apache-2.0
// Results that nobody uses, of SOACs, branches and loops.
//
//   before   let {a, b} = map(n, {xs}, \{x} -> … in {y, z})        and b is not used
//   after    let {a} = map(n, {xs}, \{x} -> … in {y})
//
//   dead-output     an array of a map, or of a SOAC without post-body and scans
//   dead-reduction  a whole reduction
//   dead-class      a class of a partition
//   dead-branch     a result of an if
//   dead-loop       a loop parameter that matters only to itself
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

template <class T>
void erase_at(std::vector<T>& v, size_t k) {
  v.erase(v.begin() + static_cast<ptrdiff_t>(k));
}

bool dead_in_soac(Stmt& stmt, Soac& soac, Env& env, PassContext& ctx) {
  bool changed = false;
  size_t scanned = 0;
  for (const Operator& op : soac.scans) scanned += op.neutral.size();
  // Reductions, from the last.
  for (size_t r = soac.reduces.size(); r-- > 0;) {
    size_t pat_at = 0;
    for (size_t k = 0; k < r; ++k) pat_at += soac.reduces[k].neutral.size();
    const size_t count = soac.reduces[r].neutral.size();
    bool live = false;
    for (size_t k = 0; k < count; ++k) live = live || env.is_live(stmt.pat[pat_at + k].name);
    if (live || !ctx.may_rewrite("dead-reduction")) continue;
    for (size_t k = 0; k < count; ++k) {
      erase_at(stmt.pat, pat_at);
      erase_at(soac.fn.results, scanned + pat_at);
      erase_at(soac.fn.body.result, scanned + pat_at);
    }
    erase_at(soac.reduces, r);
    changed = true;
  }
  size_t reduced = 0;
  for (const Operator& op : soac.reduces) reduced += op.neutral.size();
  if (!soac.post.empty()) {
    Lambda& post = soac.post[0];
    for (size_t k = post.results.size(); k-- > 0;) {
      if (post.results.size() == 1) break;
      if (env.is_live(stmt.pat[reduced + k].name) || !ctx.may_rewrite("dead-output")) continue;
      erase_at(stmt.pat, reduced + k);
      erase_at(post.results, k);
      erase_at(post.body.result, k);
      changed = true;
    }
    return changed;
  }
  // Accumulators go in and out together.
  for (const Ret& ret : soac.fn.results)
    if (ret.type.kind == Type::kAcc) return changed;
  for (size_t k = soac.fn.results.size(); k-- > scanned + reduced;) {
    const size_t pat_at = k;  // scans come before in both
    const size_t place = pat_at;
    if (env.is_live(stmt.pat[place].name) || !ctx.may_rewrite("dead-output")) continue;
    erase_at(stmt.pat, place);
    erase_at(soac.fn.results, k);
    erase_at(soac.fn.body.result, k);
    changed = true;
  }
  return changed;
}

bool dead_in_if(Stmt& stmt, If& branch, Env& env, PassContext& ctx) {
  bool changed = false;
  for (size_t k = stmt.pat.size(); k-- > 0;) {
    if (env.is_live(stmt.pat[k].name) || stmt.pat[k].type.kind == Type::kAcc ||
        !ctx.may_rewrite("dead-branch"))
      continue;
    erase_at(stmt.pat, k);
    erase_at(branch.then_body.result, k);
    erase_at(branch.else_body.result, k);
    changed = true;
  }
  return changed;
}

// Is the loop parameter used only for its own next value?
bool matters_to_itself_only(const Loop& loop, size_t k) {
  const Name param = loop.params[k].param.name;
  if (loop.form == Loop::kWhile && loop.cond == param) return false;
  for (size_t j = 0; j < loop.params.size(); ++j)
    for (const Operand& dim : loop.params[j].param.type.shape)
      if (dim == Operand{param}) return false;
  // Names that depend on it, in order; nested code counts as one use of all it gives.
  NameSet tainted = {param};
  for (const Stmt& stmt : loop.body.stmts) {
    bool uses = false;
    for (const Name name : free_names(stmt)) uses = uses || tainted.contains(name);
    if (!uses) continue;
    if (as<Assert>(stmt.exp) != nullptr) return false;
    bool simple = true;
    for_each_body(stmt.exp, [&](const Body&) { simple = false; });
    if (!simple) return false;
    for (const Param& p : stmt.pat) tainted.insert(p.name);
  }
  for (size_t j = 0; j < loop.body.result.size(); ++j) {
    const Name* name = as_name(loop.body.result[j]);
    if (j != k && name != nullptr && tainted.contains(*name)) return false;
  }
  return true;
}

bool dead_in_loop(Stmt& stmt, Loop& loop, Env& env, PassContext& ctx) {
  bool changed = false;
  for (size_t k = stmt.pat.size(); k-- > 0;) {
    if (env.is_live(stmt.pat[k].name) || !loop.params[k].param.type.is_scalar()) continue;
    if (!matters_to_itself_only(loop, k) || !ctx.may_rewrite("dead-loop")) continue;
    // What is left of it in the body is dead code that may still mention the parameter.
    Substitution subst;
    subst.emplace(loop.params[k].param.name, loop.params[k].init);
    substitute(loop.body, subst);
    erase_at(stmt.pat, k);
    erase_at(loop.params, k);
    erase_at(loop.body.result, k);
    changed = true;
  }
  return changed;
}

// A class that nobody looks at: the last one is dropped by not counting it, the first one by
// counting the others down.
bool dead_in_partition(Stmt& stmt, Partition& part, Env& env, PassContext& ctx) {
  bool changed = false;
  while (part.classes > 1) {
    const auto classes = static_cast<size_t>(part.classes);
    const size_t values = stmt.pat.size() / classes - 1;
    const auto is_dead = [&](size_t c) {
      // The types of its own arrays mention the size.
      int mentions = 0;
      for (size_t v = 0; v < values; ++v) {
        const Param& array = stmt.pat[classes + c * values + v];
        if (env.is_live(array.name)) return false;
        for (const Operand& dim : array.type.shape)
          mentions += dim == Operand{stmt.pat[c].name} ? 1 : 0;
      }
      return env.uses(stmt.pat[c].name) <= mentions;
    };
    const bool last = is_dead(classes - 1);
    if ((!last && !is_dead(0)) || !ctx.may_rewrite("dead-class")) return changed;
    const size_t gone = last ? classes - 1 : 0;
    for (size_t v = values; v-- > 0;) erase_at(stmt.pat, classes + gone * values + v);
    erase_at(stmt.pat, gone);
    if (!last) {
      Name lower;
      part.fn.body.stmts.push_back(
          env.make(scalar_type(Prim::kI64),
                   BinOp{BinOpKind::kSub, Prim::kI64, part.fn.body.result[0], const_i64(1)},
                   "class", stmt.loc, &lower));
      part.fn.body.result[0] = lower;
    }
    --part.classes;
    changed = true;
  }
  return changed;
}

}  // namespace

bool remove_dead_results(Stmt& stmt, Env& env, PassContext& ctx) {
  // A statement that is dead altogether is dead code's business.
  const bool any_live =
      std::ranges::any_of(stmt.pat, [&](const Param& p) { return env.is_live(p.name); });
  if (!any_live || stmt.pat.size() < 2) return false;
  if (std::ranges::any_of(stmt.pat, [](const Param& p) { return !p.mem.empty(); })) return false;
  if (Soac* soac = as<Soac>(stmt.exp)) return dead_in_soac(stmt, *soac, env, ctx);
  if (Partition* part = as<Partition>(stmt.exp)) return dead_in_partition(stmt, *part, env, ctx);
  if (If* branch = as<If>(stmt.exp)) return dead_in_if(stmt, *branch, env, ctx);
  if (Loop* loop = as<Loop>(stmt.exp)) return dead_in_loop(stmt, *loop, env, ctx);
  return false;
}

}  // namespace skald::passes::simplify_rules
