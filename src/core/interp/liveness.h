// SPDX-License-Identifier: Apache-2.0
// Which arrays die where.
//
// A name dies at the last statement of a body that mentions it at any depth, if the body owns it:
// the names that it binds, its parameters, and — for the branches of an `if` — what dies at that
// `if`.  The body of a loop or lambda runs several times, so it owns nothing from outside.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/exp.h"

namespace skald::core::interp {

// How often a statement mentions names, at any depth.
using Mentions = std::unordered_map<Name, int>;

struct Deaths {
  struct AtStmt {
    // Sorted by id; includes what the statement binds and nobody mentions.
    std::vector<Name> names;
    Mentions mentions;
  };
  std::vector<AtStmt> stmts;
  // For each result: is this the last mention of a name that the body owns?
  std::vector<bool> results;
};

// `is_array` tells the names that matter.  `owned` is what the body owns besides its patterns.
Deaths find_deaths(const Body& body, std::unordered_set<Name> owned,
                   const std::function<bool(Name)>& is_array);

}  // namespace skald::core::interp
