// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analysis/parallelism.h"
#include "core/ir/visit.h"
#include "core/scalar/operator_class.h"
#include "passes/flatten/apart/apart.h"

namespace skald::passes::apart {

using namespace core;

namespace {

// So many statements are computed again rather than that one value is kept.
constexpr size_t kMostRepeated = 24;

}  // namespace

bool Apart::is_cheap(const Stmt& stmt, const Scope& scope) const {
  if (!stmt.tokens.empty() || stmt.pat.size() != 1) return false;
  if (is_scalar_operator(stmt.exp))
    return operator_class(stmt.exp) < machine::OperatorClass::kDivision;
  if (as<Select>(stmt.exp) != nullptr) return true;
  if (as<Index>(stmt.exp) == nullptr && as<Rearrange>(stmt.exp) == nullptr) return false;
  if (scope.checked || consumed_.contains(stmt.pat[0].name)) return false;
  return std::ranges::none_of(free_names(stmt),
                              [&](Name name) { return consumed_.contains(name); });
}

// Adds what `name` needs to the slice; false if it costs too much.
bool Apart::repeat(Name name, const Scope& scope, const std::map<Name, size_t>& made, NameSet& seen,
                   std::vector<size_t>& repeated, NameSet& leaves, size_t& budget) const {
  const auto at = made.find(name);
  if (at == made.end() || !seen.insert(name).second) return true;
  const Stmt& stmt = scope.body->stmts[at->second];
  if (!is_cheap(stmt, scope)) {
    leaves.insert(name);
    return true;
  }
  if (budget-- == 0) return false;
  repeated.push_back(at->second);
  for (const Name needed : free_names(stmt))
    if (!repeat(needed, scope, made, seen, repeated, leaves, budget)) return false;
  return true;
}

Apart::Slice Apart::slice(const Writes& writes, const Scope& scope) const {
  std::map<Name, size_t> made;
  for (size_t k = 0; k < scope.body->stmts.size(); ++k)
    for (const Param& p : scope.body->stmts[k].pat) made.emplace(p.name, k);
  NameSet needed, all;
  for (const Stmt& stmt : writes.stmts) needed.merge(free_names(stmt));
  std::vector<size_t> order;
  NameSet leaves;
  for (const Name name : needed) {
    NameSet seen, own_leaves;
    std::vector<size_t> own;
    size_t budget = kMostRepeated;
    if (!repeat(name, scope, made, seen, own, own_leaves, budget)) {
      leaves.insert(name);
      continue;
    }
    order.insert(order.end(), own.begin(), own.end());
    leaves.merge(own_leaves);
  }
  std::ranges::sort(order);
  order.erase(std::ranges::unique(order).begin(), order.end());
  Slice result;
  for (const size_t k : order) {
    const Stmt& stmt = scope.body->stmts[k];
    if (leaves.contains(stmt.pat[0].name)) continue;
    result.stmts.push_back(&stmt);
    all.merge(free_names(stmt));
  }
  for (const Name name : needed) all.insert(name);
  for (const Param& p : scope.params)
    if (all.contains(p.name)) result.params.push_back(p);
  for (const Param& p : scope.states)
    if (all.contains(p.name)) result.kept.push_back(p);
  for (const Stmt& stmt : scope.body->stmts)
    for (const Param& p : stmt.pat)
      if (leaves.contains(p.name)) result.kept.push_back(p);
  return result;
}

}  // namespace skald::passes::apart
