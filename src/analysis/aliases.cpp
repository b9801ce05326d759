// SPDX-License-Identifier: Apache-2.0
#include "analysis/aliases.h"

#include <algorithm>
#include <iterator>

#include "core/ir/visit.h"

namespace skald::analysis {

using namespace core;

namespace {

void join(Aliases::Roots& to, const Aliases::Roots& from) {
  Aliases::Roots both;
  both.reserve(to.size() + from.size());
  std::ranges::set_union(to, from, std::back_inserter(both));
  to = std::move(both);
}

}  // namespace

Aliases::Aliases(const Program& prog) {
  for (const Function& fn : prog.functions) functions_.emplace(fn.name, &fn);
}

void Aliases::add(const Param& param) {
  if (param.type.is_array()) roots_[param.name] = {param.name};
}

void Aliases::add(const Stmt& stmt) {
  std::unordered_set<Name> ignored;
  bind(stmt, ignored);
}

Aliases::Roots Aliases::roots(Name name) const {
  const auto found = roots_.find(name);
  return found == roots_.end() ? Roots{name} : found->second;
}

std::unordered_set<Name> Aliases::consumed(const Stmt& stmt) {
  std::unordered_set<Name> result;
  bind(stmt, result);
  return result;
}

void Aliases::consume(Name array, std::unordered_set<Name>& consumed) const {
  for (const Name root : roots(array)) consumed.insert(root);
}

void Aliases::view(const Stmt& stmt, const Operand& source) {
  const Name* name = as_name(source);
  for (const Param& p : stmt.pat) {
    if (!p.type.is_array()) continue;
    roots_[p.name] = name == nullptr ? Roots{p.name} : roots(*name);
  }
}

// What may be other arrays needs no root of its own: whoever has it has theirs too.  Otherwise a
// chain of calls would have as many roots as calls.
void Aliases::own_is_superfluous(const Param& param) {
  const auto found = roots_.find(param.name);
  if (found != roots_.end() && found->second.size() > 1) std::erase(found->second, param.name);
}

void Aliases::body(const Body& body, std::unordered_set<Name>& consumed) {
  for (const Stmt& stmt : body.stmts) bind(stmt, consumed);
}

// A row that is consumed consumes the input it comes from.
void Aliases::apply(const AppliedFunction& applied, std::unordered_set<Name>& consumed) {
  const Lambda& fn = *applied.fn;
  for (const Param& p : fn.params) add(p);
  body(fn.body, consumed);
  const size_t rows = applied.inputs == nullptr ? 0 : applied.inputs->size();
  for (size_t k = 0; k < rows && k < fn.params.size(); ++k)
    if (consumed.contains(fn.params[k].name)) consume((*applied.inputs)[k], consumed);
}

void Aliases::join_results(const Stmt& stmt, const Body& body) {
  for (size_t k = 0; k < stmt.pat.size() && k < body.result.size(); ++k)
    if (const Name* name = as_name(body.result[k]); name && stmt.pat[k].type.is_array())
      join(roots_[stmt.pat[k].name], roots(*name));
}

void Aliases::loop(const Stmt& stmt, const Loop& e, std::unordered_set<Name>& consumed) {
  for (size_t k = 0; k < e.params.size(); ++k) {
    const LoopParam& p = e.params[k];
    const Name* init = as_name(p.init);
    if (init == nullptr || !p.param.type.is_array()) continue;
    add(p.param);
    if (k < stmt.pat.size() && !p.param.unique) join(roots_[stmt.pat[k].name], roots(*init));
  }
  body(e.body, consumed);
  join_results(stmt, e.body);
}

// Results that are not unique may be any argument.
void Aliases::call(const Stmt& stmt, const Call& e, const Function* callee) {
  for (const Operand& operand : e.args) {
    const Name* arg = as_name(operand);
    if (arg == nullptr || !roots_.contains(*arg)) continue;
    for (size_t r = 0; r < stmt.pat.size(); ++r) {
      const bool fresh =
          callee != nullptr && r < callee->results.size() && callee->results[r].unique;
      if (!fresh && stmt.pat[r].type.is_array()) join(roots_[stmt.pat[r].name], roots(*arg));
    }
  }
}

void Aliases::bind(const Stmt& stmt, std::unordered_set<Name>& consumed) {
  for (const Param& p : stmt.pat) add(p);
  if (const std::optional<Operand> source = view_of(stmt.exp)) return view(stmt, *source);
  const Function* callee = nullptr;
  if (const auto* e = as<Call>(stmt.exp)) {
    const auto found = functions_.find(e->fn);
    if (found != functions_.end()) callee = found->second;
  }
  for (const Operand& o : consumed_by(stmt.exp, callee))
    if (const Name* name = as_name(o)) consume(*name, consumed);
  if (const auto* e = as<If>(stmt.exp)) {
    for (const Body* side : {&e->then_body, &e->else_body}) {
      body(*side, consumed);
      join_results(stmt, *side);
    }
  } else if (const auto* e = as<Loop>(stmt.exp)) {
    loop(stmt, *e, consumed);
  } else if (const auto* e = as<Call>(stmt.exp)) {
    call(stmt, *e, callee);
  } else {
    for (const AppliedFunction& applied : functions_of(stmt.exp)) apply(applied, consumed);
    return;
  }
  for (const Param& p : stmt.pat) own_is_superfluous(p);
}

}  // namespace skald::analysis
