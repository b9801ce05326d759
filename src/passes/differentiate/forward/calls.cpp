// SPDX-License-Identifier: Apache-2.0
// Calls of functions that call themselves, in forward mode.
//
//   fun f (x) = … f (y) …      fun f' (x, x') = … f' (y, y') …
//
// Other calls were replaced by bodies before.  All arguments have tangents, so that there is one
// function for each function.
#include <fmt/format.h>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/differentiate/forward/forward.h"

namespace skald::passes::ad {

namespace {

std::string function_with_tangents(Session& session, const std::string& old) {
  if (const auto known = session.tangents_of.find(old); known != session.tangents_of.end())
    return known->second;
  const std::string name = fmt::format("{}_tangents", old);
  session.tangents_of.emplace(old, name);
  session.recursive.insert(name);
  Function copy = copy_with_fresh_names(*session.find(old), session.prog.names);
  Lambda fn{.params = std::move(copy.params),
            .results = std::move(copy.results),
            .body = std::move(copy.body)};
  session.learn(fn.params);
  session.learn(fn.body);
  session.prepare(fn, false);
  Activity activity(session);
  activity.mark(fn.params);
  activity.spread(fn.body);
  Function made = Forward(session, activity).with_tangents(std::move(fn), name);
  made.loc = copy.loc;
  session.made.push_back(std::move(made));
  return name;
}

}  // namespace

Function Forward::with_tangents(Lambda fn, const std::string& name) {
  Function made{.name = name, .params = fn.params, .results = fn.results};
  for (const Param& p : fn.params) made.params.push_back(tangent_param(p));
  Emit out(session_);
  const std::vector<Operand> old = fn.body.result;
  body(fn.body, out);
  std::vector<Operand> results = old;
  for (size_t k = 0; k < old.size(); ++k) {
    results.push_back(tangent(old[k], out));
    made.results.push_back({.type = fn.results[k].type, .unique = fn.results[k].unique});
  }
  made.body = out.finish(std::move(results));
  return made;
}

void Forward::call(Stmt stmt, Emit& out) {
  Call& e = *as<Call>(stmt.exp);
  const std::string name = function_with_tangents(session_, e.fn);
  std::vector<Operand> args = e.args;
  for (const Operand& arg : e.args) args.push_back(tangent(arg, out));
  std::vector<Param> pat = stmt.pat;
  for (const Param& p : stmt.pat) pat.push_back(tangent_param(p));
  out.let_pat(std::move(pat), Call{name, std::move(args)}, stmt.tokens);
}

}  // namespace skald::passes::ad
