// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory_sharing.h"

#include <algorithm>
#include <iterator>

#include "core/ir/sharing.h"
#include "core/ir/visit.h"

namespace skald::analysis {

using namespace core;

std::vector<size_t> first_results(const Kernel& kernel) {
  std::vector<size_t> first;
  size_t at = 0;
  for (const Sink& sink : kernel.sinks) {
    const bool through_post =
        !kernel.post.empty() && (sink.kind == Sink::kScan || sink.kind == Sink::kOut);
    first.push_back(through_post ? kNoResult : at);
    if (through_post) continue;
    if (!sink.dests.empty())
      at += sink.dests.size();
    else
      at += static_cast<size_t>(sink.kind == Sink::kPartition ? sink.classes * sink.count
                                                              : sink.count);
  }
  return first;
}

MemorySharing::MemorySharing(const Function& fn) {
  for (const Param& p : fn.params) bind(p);
  body(fn.body);
}

const MemorySharing::Roots& MemorySharing::roots(Name name) const {
  static const Roots kNone;
  const auto found = roots_.find(name);
  return found == roots_.end() ? kNone : found->second;
}

void MemorySharing::bind(const Param& param) {
  if (!param.type.is_array()) return;
  types_[param.name] = param.type;
  roots_[param.name] = {param.name};
}

void MemorySharing::join(Name array, const Operand& other) {
  if (const Name* name = as_name(other)) join(array, roots(*name));
}

void MemorySharing::join(Name array, const Roots& others) {
  const auto own = roots_.find(array);
  if (own == roots_.end()) return;
  Roots both;
  both.reserve(own->second.size() + others.size());
  std::ranges::set_union(own->second, others, std::back_inserter(both));
  own->second = std::move(both);
}

// What another call gave, and may be arrays that are roots too, is left out; otherwise a chain of
// calls would have as many roots as calls.
void MemorySharing::join_argument(Name result, const Operand& arg) {
  const Name* name = as_name(arg);
  if (name == nullptr) return;
  Roots others = roots(*name);
  std::erase_if(others, [&](Name root) { return of_calls_.contains(root); });
  join(result, others);
}

void MemorySharing::body(const Body& body) {
  for (const Stmt& each : body.stmts) stmt(each);
}

void MemorySharing::stmt(const Stmt& stmt) {
  for (const Param& p : stmt.pat) bind(p);
  const auto same_as = [&](const Operand& source) {
    const Name* name = as_name(source);
    if (name == nullptr || stmt.pat.empty() || !stmt.pat[0].type.is_array()) return;
    roots_[stmt.pat[0].name] = Roots(roots(*name));
  };
  if (const std::optional<Operand> source = view_of(stmt.exp)) return same_as(*source);
  if (const auto* e = as<Update>(stmt.exp)) return same_as(e->array);
  if (const auto* e = as<FlatUpdate>(stmt.exp)) return same_as(e->array);
  if (const auto* e = as<If>(stmt.exp)) {
    for (const Body* side : {&e->then_body, &e->else_body}) {
      body(*side);
      for (size_t k = 0; k < stmt.pat.size(); ++k) join(stmt.pat[k].name, side->result[k]);
    }
  } else if (const auto* e = as<Loop>(stmt.exp)) {
    for (const LoopParam& p : e->params) {
      bind(p.param);
      join(p.param.name, p.init);
    }
    body(e->body);
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      join(stmt.pat[k].name, e->params[k].init);
      join(stmt.pat[k].name, e->params[k].param.name);
      join(stmt.pat[k].name, e->body.result[k]);
    }
  } else if (const auto* e = as<Call>(stmt.exp)) {
    for (const Param& p : stmt.pat) {
      for (const Operand& arg : e->args) join_argument(p.name, arg);
      const auto own = roots_.find(p.name);
      if (own != roots_.end() && own->second.size() > 1) of_calls_.insert(p.name);
    }
  } else if (const auto* e = as<Kernel>(stmt.exp)) {
    const std::vector<size_t> first = first_results(*e);
    for (size_t s = 0; s < e->sinks.size(); ++s)
      for (size_t k = 0; k < e->sinks[s].dests.size(); ++k)
        join(stmt.pat[first[s] + k].name, e->sinks[s].dests[k]);
    for_each_param(stmt.exp, [&](const Param& p) { bind(p); });
    for_each_body(stmt.exp, [&](const Body& inner) { body(inner); });
  }
}

}  // namespace skald::analysis
