// SPDX-License-Identifier: Apache-2.0
// Which arrays may share memory, and which a statement consumes.
//
// Every array has roots: the names its memory may first have been bound to (the same notion as in
// the verifier, docs/ir.md "Consumption"; both read core/ir/sharing.h).  A pass that moves code
// must keep every read of an array before the statement that consumes one of its roots.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/program.h"
#include "core/ir/sharing.h"

namespace skald::analysis {

class Aliases {
 public:
  using Roots = std::vector<core::Name>;  // sorted

  explicit Aliases(const core::Program& prog);

  // Learns the roots of what a statement binds.  Statements are added in order; nested code is
  // learnt with the statement that holds it.  Adding a statement again (after a rewrite) replaces
  // what was known.
  void add(const core::Stmt& stmt);
  void add(const core::Param& param);

  // Names that were never added are their own roots.
  Roots roots(core::Name name) const;
  // The roots, bound outside of `stmt`, of what it consumes.
  std::unordered_set<core::Name> consumed(const core::Stmt& stmt);

 private:
  void bind(const core::Stmt& stmt, std::unordered_set<core::Name>& consumed);
  void body(const core::Body& body, std::unordered_set<core::Name>& consumed);
  void consume(core::Name array, std::unordered_set<core::Name>& consumed) const;
  void own_is_superfluous(const core::Param& param);
  void view(const core::Stmt& stmt, const core::Operand& source);
  void join_results(const core::Stmt& stmt, const core::Body& body);
  void loop(const core::Stmt& stmt, const core::Loop& e, std::unordered_set<core::Name>& consumed);
  void call(const core::Stmt& stmt, const core::Call& e, const core::Function* callee);
  void apply(const core::AppliedFunction& applied, std::unordered_set<core::Name>& consumed);

  std::unordered_map<std::string_view, const core::Function*> functions_;
  std::unordered_map<core::Name, Roots> roots_;
};

}  // namespace skald::analysis
