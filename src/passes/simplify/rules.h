// SPDX-License-Identifier: Apache-2.0
// Simplification rules: small named functions that look at one statement.
//
// A rule says what the statement's value equals (an operand), or a better expression for it,
// perhaps after some new statements; or nothing.  Rules lie in files by subject, each with its
// before and after; the table of a file is one function below.  The engine (engine.cpp) applies
// them until none fits.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/program.h"
#include "passes/simplify/env.h"

namespace skald::passes::simplify_rules {

struct Rewrite {
  std::optional<core::Operand> value;
  std::optional<core::Exp> exp;
  std::vector<core::Stmt> before;
  std::vector<core::Name> tokens;  // further checks that the new expression relies on
};

using RuleFunction = std::optional<Rewrite> (*)(const core::Stmt&, Env&);
struct Rule {
  std::string_view name;
  size_t node;  // index of the node in core::Exp
  RuleFunction apply;
  bool is_sign = false;  // --disable=signs
};
using Rules = std::vector<Rule>;

inline Rewrite equals(core::Operand value) {
  Rewrite r;
  r.value = std::move(value);
  return r;
}
inline Rewrite becomes(core::Exp exp) {
  Rewrite r;
  r.exp = std::move(exp);
  return r;
}

template <class Node>
constexpr size_t node_index() {
  size_t index = 0;
  bool found = false;
  const auto count = [&]<class... Ns>(const std::variant<Ns...>*) {
    ((found = found || std::is_same_v<Ns, Node>, index += found ? 0 : 1), ...);
  };
  count(static_cast<const core::Exp*>(nullptr));
  return index;
}

Rules constant_rules();  // constants.cpp
Rules integer_rules();   // integers.cpp
Rules float_rules();     // floats.cpp
Rules sign_rules();      // signs.cpp
Rules clamp_rules();     // clamps.cpp
Rules boolean_rules();   // booleans.cpp
Rules compare_rules();   // compare.cpp
Rules convert_rules();   // convert.cpp
Rules narrow_rules();    // narrow.cpp
Rules index_rules();     // indexing.cpp
Rules view_rules();      // views.cpp
Rules control_rules();   // control.cpp
Rules sum_rules();       // sums.cpp

// All of them, by node.
const std::vector<std::vector<Rule>>& rules_by_node();

// ---- whole SOACs, loops and branches; each changes the statement in place and says whether it did

// soacs.cpp: inputs that are replicated, doubled or not looked at.
bool simplify_inputs(core::Stmt& stmt, Env& env, PassContext& ctx);
// dead_results.cpp: results that nobody uses.
bool remove_dead_results(core::Stmt& stmt, Env& env, PassContext& ctx);
// equal_sinks.cpp: sinks of a kernel that do the same with the same values.
void merge_equal_sinks(core::Stmt& stmt, Env& env, PassContext& ctx);
// loops.cpp: parameters that never change.
bool simplify_loop(core::Stmt& stmt, std::vector<core::Stmt>& out, Env& env, PassContext& ctx);
// loop_map.cpp: loops whose rounds write the rows of an array, each its own, are maps.
bool loop_to_map(core::Stmt& stmt, std::vector<core::Stmt>& out, Env& env, PassContext& ctx);
// hoist.cpp: moves what does not depend on the iteration out of a body.
void hoist_invariants(core::Stmt& stmt, std::vector<core::Stmt>& out, Env& env, PassContext& ctx);

}  // namespace skald::passes::simplify_rules
