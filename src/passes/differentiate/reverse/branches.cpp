// SPDX-License-Identifier: Apache-2.0
// Branches in reverse mode.
//
//   y = if c then f(x) else g(x)
//
//   x̄ = if c then (run f(x) again, then its rules) else (the same for g)
//
// The branches return the cotangents of all names from outside that they contribute to.
#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/reverse.h"

namespace skald::passes::ad {

void Reverse::branch(Stmt& stmt, If& e, Emit& out) {
  NameSet names = free_names(e.then_body);
  names.merge(free_names(e.else_body));
  const std::vector<Name> free = active_free(names);
  const NameMap<Adjoint> before = adjoints_;
  NameMap<Adjoint> after[2];
  Emit code[2] = {Emit(session_, stmt.loc), Emit(session_, stmt.loc)};
  Body* sides[2] = {&e.then_body, &e.else_body};
  for (size_t s = 0; s < 2; ++s) {
    adjoints_ = before;
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      const Name* result = as_name(sides[s]->result[k]);
      const auto source = acc_sources_.find(stmt.pat[k].name);
      if (result == nullptr || source == acc_sources_.end()) continue;
      const std::vector<Operand> arrays = source->second;
      acc_sources_.insert_or_assign(*result, arrays);
    }
    run(*sides[s], [&](Emit&) { return seeds_of(stmt.pat); }, code[s]);
    after[s] = adjoints_;
  }
  std::vector<Operand> results[2];
  std::vector<Param> pat;
  std::vector<std::pair<Name, Adjoint>> changed;
  for (const Name name : free) {
    const auto value_in = [&](const NameMap<Adjoint>& map) {
      const auto found = map.find(name);
      return found == map.end() ? std::nullopt : std::optional(found->second.value);
    };
    if (value_in(after[0]) == value_in(before) && value_in(after[1]) == value_in(before)) continue;
    Adjoint joined{const_i64(0), true};
    Type type = session_.type_of(name);
    for (size_t s = 0; s < 2; ++s) {
      const auto found = after[s].find(name);
      if (found == after[s].end()) {
        results[s].push_back(code[s].zero(type));
        continue;
      }
      joined.owned = joined.owned && found->second.owned;
      joined.is_acc = found->second.is_acc;
      results[s].push_back(found->second.value);
    }
    if (joined.is_acc) type = session_.type_of(results[0].back());
    pat.push_back({.name = out.fresh("bar"), .type = type});
    joined.value = pat.back().name;
    changed.emplace_back(name, joined);
  }
  adjoints_ = before;
  if (changed.empty()) return;
  If node;
  node.cond = e.cond;
  node.then_body = code[0].finish(std::move(results[0]));
  node.else_body = code[1].finish(std::move(results[1]));
  out.let_pat(std::move(pat), std::move(node), stmt.tokens);
  for (const auto& [name, bar] : changed) adjoints_.insert_or_assign(name, bar);
}

}  // namespace skald::passes::ad
