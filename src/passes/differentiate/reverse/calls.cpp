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
//
// An array that all calls hand on as it is, a table, has an accumulator, which f̄ gets and gives:
// a cotangent of its own in each call would cost as much as the whole table.
#include <fmt/format.h>

#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/reverse.h"

namespace skald::passes::ad {

namespace {

// Leaves those parameters that all calls of the function inside of it hand on as they are.
void leave_handed_on(const Function& fn, const Body& body, std::vector<bool>& handed_on) {
  for (const Stmt& stmt : body.stmts) {
    if (const auto* call = as<Call>(stmt.exp); call != nullptr && call->fn == fn.name)
      for (size_t k = 0; k < call->args.size(); ++k)
        handed_on[k] = handed_on[k] && call->args[k] == Operand(fn.params[k].name);
    for_each_body(stmt.exp, [&](const Body& inner) { leave_handed_on(fn, inner, handed_on); });
  }
}

// Which parameters of a function are tables?
std::vector<bool> tables_of(const Function& fn) {
  std::vector<bool> tables;
  for (const Param& p : fn.params)
    tables.push_back(p.type.kind == Type::kArray && p.type.is_array() && !p.unique);
  leave_handed_on(fn, fn.body, tables);
  return tables;
}

}  // namespace

Function Reverse::cotangents_of(const Function& fn, const std::string& name) {
  const std::vector<bool> tables = tables_of(fn);
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
  }
  for (const Ret& ret : code.results) {
    made.params.push_back({.name = session_.prog.names.fresh("bar"), .type = ret.type});
    seeds.emplace_back(made.params.back().name);
  }
  Reverse inner(session_, activity);
  for (size_t k = 0; k < tables.size(); ++k) {
    const Param& p = code.params[k];
    made.results.push_back({.type = tables[k] ? acc_for(p.type) : p.type});
    if (!tables[k]) continue;
    made.params.push_back({.name = session_.prog.names.fresh("acc"), .type = acc_for(p.type)});
    inner.adjoints_.insert_or_assign(p.name, Adjoint{made.params.back().name, true, true});
  }
  session_.learn(made.params);
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
  const std::vector<bool> tables = tables_of(fn);
  const std::string name = fmt::format("{}_cotangents", e.fn);
  if (session_.cotangents_of.emplace(e.fn, name).second) {
    session_.recursive.insert(name);
    Function made = cotangents_of(fn, name);
    session_.made.push_back(std::move(made));
  }
  std::vector<Operand> args = e.args;
  for (const Param& p : stmt.pat) args.push_back(seed(p.name, out));
  std::vector<Type> types;
  std::vector<AccArray> wrapped;  // tables that have no accumulator yet
  for (size_t k = 0; k < e.args.size(); ++k) {
    types.push_back(session_.type_of(e.args[k]));
    if (!tables[k]) continue;
    const Name table = std::get<Name>(e.args[k]);
    const auto found = adjoints_.find(table);
    types.back() = acc_for(types.back());
    if (found != adjoints_.end() && found->second.is_acc) {
      types.back() = session_.type_of(found->second.value);
      args.push_back(found->second.value);
      continue;
    }
    wrapped.push_back({own_array(table, out), types.back(), k, args.size()});
    args.emplace_back();
  }
  const auto with_accs = [&](const std::vector<Name>& accs) -> Exp {
    for (size_t k = 0; k < accs.size(); ++k) args[wrapped[k].input] = accs[k];
    return Call{name, std::move(args)};
  };
  const std::vector<Name> bars = inside_with_acc(wrapped, types, stmt.tokens, out, with_accs);
  for (size_t k = 0; k < e.args.size(); ++k) {
    if (!tables[k])
      add(e.args[k], bars[k], out);
    else if (active(e.args[k]))
      adjoints_.insert_or_assign(
          std::get<Name>(e.args[k]),
          Adjoint{bars[k], true, session_.type_of(bars[k]).kind == Type::kAcc});
  }
}

}  // namespace skald::passes::ad
