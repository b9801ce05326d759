// SPDX-License-Identifier: Apache-2.0
// Flattening of regular nests: makes parallelism that is hidden inside a SOAC visible as perfect
// nests, which extract-kernels turns into one kernel each, and chooses at run time.
//
//   before   map(n, {xss}, \{row} -> … several SOACs …)
//
//   after    if tunable <= n then map(n, {xss}, \{row} -> …)         the outer level is enough
//            else if fits then map(n, {xss}, \{row} -> …) in groups   versions/groups.cpp, on a gpu
//            else … several perfect nests over n and the inner widths …
//
// A reduction or scan whose operator works on arrays is turned inside out (operators.cpp), without
// a choice: it has no other parallel form.
//
// Stage    SOACS → SOACS.
// Needs    fusion has run: what could be one SOAC is one.
// Gives    at most three versions of every statement; limits on what is added are in passes/pass.h.
// Keeps    types, checks, hints.
// Cost     linear in the size of the code with versions.
// Tests    tests/golden/passes/flatten/*.core, tests/programs/nested, property `flatten`
//
// Here is how all parallelism of a nest is made visible.  Which statements have versions is in
// versions/host.cpp, what is asked when the program runs in versions/versions.cpp.
//
// Read next: distribute.cpp, interchange.cpp, docs/flattening.md.
#include "passes/flatten/flatten.h"

#include "analysis/parallelism.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/flatten/apart/writes_apart.h"
#include "passes/flatten/close_posts.h"
#include "passes/flatten/host_kernels.h"
#include "passes/flatten/writes.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

// Is there something to do for all iterations of the map at once?
bool Flattener::is_distributable(const Soac& map) const {
  return analysis::has_parallelism(map.fn.body) || (in_groups() && returns_views(map.fn.body));
}

std::vector<Operand> Flattener::append_map(Builder& out, Soac map, Loc loc) {
  Exp exp{std::move(map)};
  if (is_distributable(*as<Soac>(exp))) {
    Exp copy = copy_with_fresh_names(exp, prog_.names);
    if (auto results = distribute(*this, out, std::move(*as<Soac>(copy)), loc)) {
      ++distributed_;
      return std::move(*results);
    }
  }
  const Soac& soac = *as<Soac>(exp);
  std::vector<Type> types;
  for (const Ret& ret : soac.fn.results) types.push_back(array_of(soac.width, ret.type));
  const std::vector<Name> names = out.let(std::move(types), std::move(exp), "map_res");
  return {names.begin(), names.end()};
}

void Flattener::note(const Stmt& stmt) {
  if (const auto* rep = as<Replicate>(stmt.exp)) replicates_[stmt.pat[0].name] = *rep;
}

void Flattener::expose(Body& body) {
  Builder out(prog_);
  for (Stmt& stmt : body.stmts) expose_stmt(out, std::move(stmt));
  for (Operand& result : body.result) substitute(result, renamed_);
  body = out.finish(std::move(body.result));
}

void Flattener::expose_stmt(Builder& out, Stmt stmt) {
  note(stmt);
  if (!renamed_.empty()) substitute(stmt, renamed_);
  if (stmt.hints.sequential) return out.append(std::move(stmt));
  if (as<If>(stmt.exp) != nullptr || as<Loop>(stmt.exp) != nullptr) {
    for_each_body(stmt.exp, [&](Body& inner) { expose(inner); });
    return out.append(std::move(stmt));
  }
  const Lambda* fn = function_of(stmt.exp);
  if (fn == nullptr || stmt.hints.sequential_inner) return out.append(std::move(stmt));
  Soac* soac = as<Soac>(stmt.exp);
  const bool array_operator = soac != nullptr && has_array_operator(*soac);
  const bool nested = analysis::has_parallelism(fn->body);
  if (soac != nullptr && soac->is_map()) {
    if (!is_distributable(*soac) || is_write_nest(*soac)) return out.append(std::move(stmt));
    expose(soac->fn.body);
    if (stmt.hints.sequential_outer) return out.append(std::move(stmt));
    out.set_loc(stmt.loc);
    const std::vector<Operand> results = append_map(out, std::move(*soac), stmt.loc);
    for (size_t k = 0; k < results.size(); ++k) renamed_.emplace(stmt.pat[k].name, results[k]);
    return;
  }
  bool split = false;
  if (nested || array_operator) {
    if (std::optional<Stmt> map = split_off_map(prog_, stmt)) {
      split = true;
      ++distributed_;
      expose_stmt(out, std::move(*map));
      substitute(stmt, renamed_);
    }
  }
  if (!array_operator) {
    if (split)
      for (Stmt& each : take_handed_on(stmt)) out.append(std::move(each));
    return out.append(std::move(stmt));
  }
  for (Stmt& part : separate_operators(prog_, std::move(stmt), split)) {
    if (interchange_operators(out, part, replicates_))
      ++distributed_;
    else
      out.append(std::move(part));
  }
}

Program flatten_nests(Program prog, PassContext& ctx) {
  for (size_t k = 0; k < prog.functions.size(); ++k) {
    const Function& fn = prog.functions[k];
    Flattener flat(prog, ctx, fn.entry ? fn.entry->name : fn.name);
    Body body = std::move(prog.functions[k].body);
    take_writes_apart(body, prog, ctx);
    close_posts(body, prog, ctx);
    flat.function_body(body, prog.functions[k].results);
    prog.functions[k].body = std::move(body);
  }
  return prog;
}

}  // namespace skald::passes
