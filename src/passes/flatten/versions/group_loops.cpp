// SPDX-License-Identifier: Apache-2.0
// Loops of the host whose kernels are small: one group of threads runs all of the loop.
//
//   before   xs = loop {xs = init} for i < k: … SOACs …
//
//   after    xs = if the SOACs have at most `loop_points` points, and the arrays fit the group
//                 then map(1, …, \{_} -> the loop)[0], in groups       groups.cpp
//                 else the loop
//
// On a device a step of such a loop is otherwise a launch for each kernel, and the host waits for
// each condition that is computed there.  Inside a group both are a barrier.
#include <algorithm>

#include "analysis/parallelism.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/flatten/flatten.h"

namespace skald::passes {

using namespace core;

namespace {

// Do the types of the results mean something outside the loop?
bool has_known_types(const Stmt& stmt) {
  for (const Param& p : stmt.pat) {
    if (p.type.kind != Type::kArray) return false;
    for (const Operand& dim : p.type.shape)
      for (const Param& other : stmt.pat)
        if (const Name* name = as_name(dim); name != nullptr && *name == other.name) return false;
  }
  return true;
}

// Does a round start kernels, however small?
bool starts_kernels(const Body& body) {
  return std::ranges::any_of(body.stmts, [](const Stmt& stmt) {
    if (as<Soac>(stmt.exp) || as<Hist>(stmt.exp) || as<Scatter>(stmt.exp))
      return !stmt.hints.sequential;
    bool found = false;
    if (as<If>(stmt.exp) != nullptr || as<Loop>(stmt.exp) != nullptr)
      for_each_body(stmt.exp, [&](const Body& inner) { found = found || starts_kernels(inner); });
    return found;
  });
}

// The loop as a map over one point, whose number is `input`.
Stmt map_of_loop(Program& prog, const Stmt& stmt, Name input) {
  Substitution subst;
  Stmt loop = copy_with_fresh_names(stmt, prog.names, subst);
  Stmt map;
  map.loc = stmt.loc;
  Lambda fn;
  fn.params.push_back({prog.names.fresh("one"), scalar_type(Prim::kI64)});
  for (const Param& p : loop.pat) {
    fn.results.push_back({.type = p.type});
    fn.body.result.emplace_back(p.name);
    map.pat.push_back({prog.names.fresh_like(p.name), array_of(const_i64(1), p.type)});
  }
  fn.body.stmts.push_back(std::move(loop));
  map.exp = Soac{const_i64(1), {input}, std::move(fn)};
  return map;
}

}  // namespace

std::optional<Flattener::GroupVersion> Flattener::loop_in_group(Builder& out, const Stmt& stmt) {
  const Loop& loop = *as<Loop>(stmt.exp);
  if (ctx_.leaves_out("group-loops") || stmt.hints.sequential || !has_known_types(stmt) ||
      !starts_kernels(loop.body) || !may_have_group(stmt, GroupUse::kLoop) || !ctx_.may_rewrite())
    return std::nullopt;
  Builder then(prog_);
  then.set_loc(stmt.loc);
  const Name input = then.let1(array_of(const_i64(1), scalar_type(Prim::kI64)),
                               Iota{Prim::kI64, const_i64(1), const_i64(0), const_i64(1)}, "one");
  std::optional<GroupVersion> version =
      group_version(out, map_of_loop(prog_, stmt, input), GroupUse::kLoop, std::nullopt);
  if (!version) return std::nullopt;
  for (Stmt& inner : version->body.stmts) then.append(std::move(inner));
  std::vector<Operand> results;
  for (size_t k = 0; k < stmt.pat.size(); ++k)
    results.emplace_back(
        then.let1(stmt.pat[k].type, Index{*as_name(version->body.result[k]), {DimSlice{}}}, "of"));
  version->body = then.finish(std::move(results));
  return version;
}

void Flattener::host_loop(Builder& out, Stmt stmt) {
  std::optional<GroupVersion> group = loop_in_group(out, stmt);
  for_each_body(stmt.exp, [&](Body& inner) { host_body(inner); });
  if (!group) return out.append(std::move(stmt));
  out.set_loc(stmt.loc);
  std::vector<Param> pat = stmt.pat;
  for (Param& p : stmt.pat) p.name = prog_.names.fresh_like(p.name);
  Body otherwise;
  for (const Param& p : stmt.pat) otherwise.result.emplace_back(p.name);
  otherwise.stmts.push_back(std::move(stmt));
  out.let_pat(std::move(pat), If{group->cond, std::move(group->body), std::move(otherwise)});
}

}  // namespace skald::passes
