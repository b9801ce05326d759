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

// Arrays that have no accumulator yet get one around the call.
std::vector<Name> Reverse::call_with_tables(Call call, std::vector<Type> types,
                                            const std::vector<Name>& arrays,
                                            const std::vector<Name>& tokens, Emit& out) {
  WithAcc node;
  Emit inside(session_, out.loc());
  std::vector<size_t> order;  // results of the call: accumulators first
  std::vector<Type> outside;
  size_t next = 0;
  for (size_t k = 0; k < types.size(); ++k) {
    if (types[k].kind != Type::kAcc) continue;
    const Name array = arrays[next++];
    if (array == Name{}) continue;
    const Type elem = types[k].acc_elems[0];
    AccInput input{types[k].shape, {array}, {}};
    input.op.push_back({addition(session_, {elem}), {Operand(Const{elem.elem, 0})}, true});
    node.inputs.push_back(std::move(input));
    node.fn.params.push_back({.name = out.fresh("acc"), .type = types[k]});
    call.args[call.args.size() - arrays.size() + next - 1] = node.fn.params.back().name;
    order.push_back(k);
    outside.push_back(session_.type_of(array));
  }
  if (node.inputs.empty()) return out.let(types, std::move(call), "bar", tokens);
  session_.learn(node.fn.params);
  for (size_t k = 0; k < types.size(); ++k) {
    if (std::ranges::find(order, k) != order.end()) continue;
    order.push_back(k);
    outside.push_back(types[k]);
  }
  std::vector<Name> made = inside.let(types, std::move(call), "bar", tokens);
  std::vector<Operand> given;
  for (const size_t k : order) {
    given.emplace_back(made[k]);
    node.fn.results.push_back({.type = types[k]});
  }
  node.fn.body = inside.finish(std::move(given));
  const std::vector<Name> shown = out.let(outside, std::move(node), "bar");
  for (size_t k = 0; k < order.size(); ++k) made[order[k]] = shown[k];
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
  std::vector<Name> arrays;  // by table: what becomes an accumulator, if there is none
  for (size_t k = 0; k < e.args.size(); ++k) {
    types.push_back(session_.type_of(e.args[k]));
    if (!tables[k]) continue;
    const Name table = std::get<Name>(e.args[k]);
    const auto found = adjoints_.find(table);
    types.back() = acc_for(types.back());
    arrays.emplace_back();
    if (found != adjoints_.end() && found->second.is_acc) {
      types.back() = session_.type_of(found->second.value);
      args.push_back(found->second.value);
      continue;
    }
    arrays.back() = own_array(table, out);
    args.emplace_back();
  }
  const std::vector<Name> bars =
      call_with_tables(Call{name, std::move(args)}, types, arrays, stmt.tokens, out);
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
