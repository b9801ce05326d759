// SPDX-License-Identifier: Apache-2.0
#include "analysis/scalar_values.h"

#include "core/edit/plain.h"
#include "core/edit/rename.h"
#include "core/ir/name_map.h"
#include "core/ir/visit.h"

namespace skald::analysis {

using namespace core;

bool is_pure_scalar(const Stmt& stmt) {
  return stmt.pat.size() == 1 && stmt.pat[0].type.is_scalar() && is_scalar_operator(stmt.exp);
}

Operand ScalarValues::of(const Operand& operand) const {
  const Name* name = as_name(operand);
  if (name == nullptr) return operand;
  const auto found = representative_.find(*name);
  return found == representative_.end() ? operand : found->second;
}

void ScalarValues::add(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    add(stmt);
    for_each_body(stmt.exp, [&](const Body& inner) { add(inner); });
  }
}

void ScalarValues::add(const Stmt& stmt) {
  if (!is_pure_scalar(stmt)) return;
  const Name name = stmt.pat[0].name;
  if (const Value* value = as<Value>(stmt.exp)) {
    representative_[name] = of(value->arg);
    return;
  }
  Exp exp = plain_copy(stmt.exp);
  map_operands(exp, [&](const Operand& o) { return of(o); });
  const uint64_t hash = structural_hash(exp);
  const auto [begin, end] = known_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (!equal(it->second.first, exp)) continue;
    representative_[name] = it->second.second;
    return;
  }
  known_.emplace(hash, std::pair(std::move(exp), name));
}

}  // namespace skald::analysis
