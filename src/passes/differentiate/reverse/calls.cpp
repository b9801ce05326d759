// SPDX-License-Identifier: Apache-2.0
// Calls of functions that call themselves, in reverse mode.
//
//   fun f (x) = … y = f (z) …
//
//   fun f̄ (x, r̄) = … y = f (z) … ;  z̄ = f̄ (z, ȳ) ; …        gives x̄
//
// Nothing is stored: a call runs forward again when its cotangents are asked for, so that a body
// at depth d of the calls runs d+1 times.  All arguments have cotangents, so that there is one
// function for each function.
#include <fmt/format.h>

#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/reverse.h"

namespace skald::passes::ad {

Function Reverse::cotangents_of(const Function& fn, const std::string& name) {
  Function copy = copy_with_fresh_names(fn, session_.prog.names);
  Lambda code{.params = std::move(copy.params),
              .results = std::move(copy.results),
              .body = std::move(copy.body)};
  session_.learn(code.params);
  session_.learn(code.body);
  session_.prepare(code, true);
  Activity activity(session_);
  activity.mark(code.params);
  activity.spread(code.body);
  Function made{.name = name};
  Seeds seeds;
  for (Param& p : code.params) {
    p.unique = false;
    made.params.push_back(p);
    made.results.push_back({.type = p.type});
  }
  for (const Ret& ret : code.results) {
    made.params.push_back({.name = session_.prog.names.fresh("bar"), .type = ret.type});
    seeds.emplace_back(made.params.back().name);
  }
  session_.learn(made.params);
  Reverse inner(session_, activity);
  Emit out(session_, fn.loc);
  inner.run(code.body, [&](Emit&) { return seeds; }, out);
  std::vector<Operand> bars;
  for (const Param& p : code.params) bars.push_back(inner.seed(p.name, out));
  made.body = out.finish(std::move(bars));
  made.loc = fn.loc;
  return made;
}

void Reverse::call(const Stmt& stmt, const Call& e, Emit& out) {
  const Function& fn = *session_.find(e.fn);
  if (std::ranges::any_of(fn.results, [](const Ret& ret) { return static_cast<bool>(ret.name); })) {
    session_.report(stmt.loc,
                    fmt::format("reverse mode for `{}`, which calls itself and gives arrays whose "
                                "sizes it computes",
                                e.fn));
    return;
  }
  const std::string name = fmt::format("{}_cotangents", e.fn);
  if (session_.cotangents_of.emplace(e.fn, name).second) {
    session_.recursive.insert(name);
    Function made = cotangents_of(fn, name);
    session_.made.push_back(std::move(made));
  }
  std::vector<Operand> args = e.args;
  std::vector<Type> types;
  for (const Operand& arg : e.args) types.push_back(session_.type_of(arg));
  for (const Param& p : stmt.pat) args.push_back(seed(p.name, out));
  const std::vector<Name> bars = out.let(types, Call{name, std::move(args)}, "bar", stmt.tokens);
  for (size_t k = 0; k < e.args.size(); ++k) add(e.args[k], bars[k], out);
}

}  // namespace skald::passes::ad
