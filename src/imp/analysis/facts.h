// SPDX-License-Identifier: Apache-2.0
// What is known about the names of a function: how values were computed, which were loaded from
// where, which blocks may be the same.  Used by several passes.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "imp/ir/imp.h"

namespace skald::imp {

class Facts {
 public:
  explicit Facts(const Function& fn);

  // What a `let` binds the operand to; null if it is no name of a `let`.
  const Exp* definition(const Operand& operand) const;
  // What it is a copy of.
  Operand original(Operand operand) const;
  // For names made later.
  void define(Name name, const Exp& exp) { definitions_.emplace(name, exp); }
  // The load that gave the operand, or null.
  const Load* load(const Operand& operand) const;
  // Is it a `var`, which may have different values at different times?
  bool is_variable(Name name) const { return variables_.contains(name); }
  // Could the two names lead to the same memory, of which some is written?
  bool may_overlap(Name a, Name b) const { return block_class(a) == block_class(b); }
  // Are they surely the same number?
  bool same_value(const Operand& a, const Operand& b) const { return same_value(a, b, 6); }

 private:
  void collect(const Body& body);
  Name block_class(Name name) const;
  void unite(Name a, Name b);
  bool same_value(const Operand& a, const Operand& b, int depth) const;

  std::unordered_map<Name, Exp> definitions_;
  std::unordered_map<Name, Load> loads_;
  std::unordered_set<Name> variables_;
  std::unordered_map<Name, Name> parents_;
};

// The names that the body and what is inside it bind, and the variables that it assigns.
std::unordered_set<Name> bound_or_assigned(const Body& body);
// How often statements in it, or the statement, use the name; as a target of assignments too.
int count_uses(const Body& body, Name name);
int count_uses(const Stmt& stmt, Name name);
// Removes statements that only bind names nobody uses.
void drop_unused(Body& body);

}  // namespace skald::imp
