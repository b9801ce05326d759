// SPDX-License-Identifier: Apache-2.0
// Which arrays die where.
//
// A name dies at the last statement of a body that mentions it at any depth, if the body owns it:
// the names that it binds, its parameters, and — for the branches of an `if` — what dies at that
// `if`.  The body of a loop or lambda runs several times, so it owns nothing from outside.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/program.h"

namespace skald::core::interp {

// How often a statement mentions names, at any depth.
using Mentions = std::unordered_map<Name, int>;

// Those of all statements of a function, found in one walk: bodies may be nested deeply.
class ArrayMentions {
 public:
  explicit ArrayMentions(const Function& fn);
  bool is_array(Name name) const { return arrays_.contains(name); }
  // What the statement itself binds inside is not part of it.
  Mentions of(const Stmt& stmt) const;

 private:
  void declare(const Param& param);
  void declare_all(const Body& body);
  void use(const Operand& operand, Mentions& out) const;
  void body(const Body& body, Mentions& out);

  std::unordered_set<Name> arrays_;
  std::unordered_map<const Stmt*, Mentions> nested_;  // of statements with bodies
};

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

// `owned` is what the body owns besides its patterns.
Deaths find_deaths(const Body& body, std::unordered_set<Name> owned, const ArrayMentions& mentions);

}  // namespace skald::core::interp
