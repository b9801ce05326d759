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
void Aliases::rows(const Lambda& fn, const std::vector<Name>& inputs,
                   std::unordered_set<Name>& consumed) {
  for (const Param& p : fn.params) add(p);
  body(fn.body, consumed);
  for (size_t k = 0; k < inputs.size() && k < fn.params.size(); ++k)
    if (consumed.contains(fn.params[k].name)) consume(inputs[k], consumed);
}

void Aliases::bind(const Stmt& stmt, std::unordered_set<Name>& consumed) {
  for (const Param& p : stmt.pat) add(p);
  if (const auto* e = as<Value>(stmt.exp)) return view(stmt, e->arg);
  if (const auto* e = as<Opaque>(stmt.exp)) return view(stmt, e->arg);
  if (const auto* e = as<Index>(stmt.exp)) return view(stmt, e->array);
  if (const auto* e = as<FlatIndex>(stmt.exp)) return view(stmt, e->array);
  if (const auto* e = as<Reshape>(stmt.exp)) return view(stmt, e->array);
  if (const auto* e = as<Rearrange>(stmt.exp)) return view(stmt, e->array);
  if (const auto* e = as<Update>(stmt.exp)) return consume(e->array, consumed);
  if (const auto* e = as<FlatUpdate>(stmt.exp)) return consume(e->array, consumed);
  if (const auto* e = as<If>(stmt.exp)) {
    for (const Body* side : {&e->then_body, &e->else_body}) {
      body(*side, consumed);
      for (size_t k = 0; k < stmt.pat.size() && k < side->result.size(); ++k)
        if (const Name* name = as_name(side->result[k]); name && stmt.pat[k].type.is_array())
          join(roots_[stmt.pat[k].name], roots(*name));
    }
    for (const Param& p : stmt.pat) own_is_superfluous(p);
    return;
  }
  if (const auto* e = as<Loop>(stmt.exp)) {
    for (size_t k = 0; k < e->params.size(); ++k) {
      const LoopParam& p = e->params[k];
      const Name* init = as_name(p.init);
      if (init == nullptr || !p.param.type.is_array()) continue;
      add(p.param);
      if (p.param.unique) consume(*init, consumed);
      if (k < stmt.pat.size() && !p.param.unique) join(roots_[stmt.pat[k].name], roots(*init));
    }
    body(e->body, consumed);
    for (size_t k = 0; k < stmt.pat.size() && k < e->body.result.size(); ++k)
      if (const Name* name = as_name(e->body.result[k]); name && stmt.pat[k].type.is_array())
        join(roots_[stmt.pat[k].name], roots(*name));
    for (const Param& p : stmt.pat) own_is_superfluous(p);
    return;
  }
  if (const auto* e = as<Call>(stmt.exp)) {
    const auto callee = functions_.find(e->fn);
    for (size_t k = 0; k < e->args.size(); ++k) {
      const Name* arg = as_name(e->args[k]);
      if (arg == nullptr) continue;
      const bool known = callee != functions_.end() && k < callee->second->params.size();
      if (known && callee->second->params[k].unique) consume(*arg, consumed);
      // Results that are not unique may be any argument.
      for (size_t r = 0; r < stmt.pat.size(); ++r) {
        const bool fresh = callee != functions_.end() && r < callee->second->results.size() &&
                           callee->second->results[r].unique;
        if (!fresh && stmt.pat[r].type.is_array() && roots_.contains(*arg))
          join(roots_[stmt.pat[r].name], roots(*arg));
      }
    }
    for (const Param& p : stmt.pat) own_is_superfluous(p);
    return;
  }
  if (const auto* e = as<Soac>(stmt.exp)) {
    rows(e->fn, e->inputs, consumed);
    for (const Operator& op : e->scans) rows(op.fn, {}, consumed);
    for (const Operator& op : e->reduces) rows(op.fn, {}, consumed);
    for (const Lambda& post : e->post) rows(post, {}, consumed);
    return;
  }
  if (const auto* e = as<Hist>(stmt.exp)) {
    for (const HistOp& op : e->ops) {
      for (const Name dest : op.dests) consume(dest, consumed);
      rows(op.op.fn, {}, consumed);
    }
    return rows(e->fn, e->inputs, consumed);
  }
  if (const auto* e = as<Scatter>(stmt.exp)) {
    for (const ScatterDest& dest : e->dests) consume(dest.dest, consumed);
    return rows(e->fn, e->inputs, consumed);
  }
  if (const auto* e = as<Partition>(stmt.exp)) return rows(e->fn, e->inputs, consumed);
  if (const auto* e = as<FlatMap>(stmt.exp)) return rows(e->fn, e->inputs, consumed);
  if (const auto* e = as<WithAcc>(stmt.exp)) {
    for (const AccInput& input : e->inputs) {
      for (const Name array : input.arrays) consume(array, consumed);
      for (const Operator& op : input.op) rows(op.fn, {}, consumed);
    }
    return rows(e->fn, {}, consumed);
  }
  if (const auto* e = as<Kernel>(stmt.exp)) {
    for (const Sink& sink : e->sinks) {
      for (const Name dest : sink.dests) consume(dest, consumed);
      for (const Operator& op : sink.op) rows(op.fn, {}, consumed);
    }
    rows(e->pull, {}, consumed);
    for (const Lambda& post : e->post) rows(post, {}, consumed);
  }
}

}  // namespace skald::analysis
