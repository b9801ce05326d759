// SPDX-License-Identifier: Apache-2.0
// Branches that only choose.
//
//   if-to-select   if c then {a} else {b} = select(c, a, b), on scalars
#include "core/ir/visit.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

std::optional<Rewrite> if_to_select(const Stmt& stmt, Env&) {
  const If& e = *as<If>(stmt.exp);
  if (stmt.pat.size() != 1 || !stmt.pat[0].type.is_scalar() || !e.then_body.stmts.empty() ||
      !e.else_body.stmts.empty())
    return std::nullopt;
  return becomes(Select{e.cond, e.then_body.result[0], e.else_body.result[0]});
}

}  // namespace

Rules control_rules() {
  return {{"if-to-select", node_index<If>(), if_to_select}};
}

}  // namespace skald::passes::simplify_rules
