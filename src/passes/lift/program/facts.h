// SPDX-License-Identifier: Apache-2.0
// What lifting knows of the program: types, functions that call themselves, which statements are
// parallel.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "analysis/parallelism.h"
#include "core/ir/program.h"
#include "passes/flatten/flatten.h"
#include "passes/lift/program/acc_roots.h"
#include "passes/pass.h"

namespace skald::passes::lift {

using Names = std::unordered_set<core::Name>;
using Functions = std::unordered_map<std::string, core::Function>;

// How often a body calls `fn`, at least; what is inside a SOAC counts twice.
int calls_of(const core::Body& body, const std::string& fn);

class Facts {
 public:
  // `originals`: the functions as they were before any kernel was made.
  Facts(const core::Program& prog, const Device& device, const Functions& originals);

  // Code that came up after this was made.
  void note(const core::Stmt& stmt);
  void note(const core::Body& body);
  void note(const core::Param& p);
  void note_type(core::Name name, const core::Type& type) { types_.insert_or_assign(name, type); }

  const core::Type& type_of(core::Name name) const;
  const analysis::Ranks& ranks() const { return ranks_; }
  const Replicates& replicates() const { return replicates_; }
  AccRoots& accs() { return accs_; }

  const core::Function& original(const std::string& fn) const { return originals_.at(fn); }
  bool is_recursive(const std::string& fn) const { return recursive_.contains(fn); }
  // Does it call itself several times?
  bool is_tree_recursive(const std::string& fn) const { return tree_recursive_.contains(fn); }
  // Are all of its calls of itself one batch?  Otherwise the levels of the recursion multiply.
  bool calls_run_together(const std::string& fn) const;
  // Does the function have parallel code?
  bool is_parallel(const std::string& fn) const { return parallel_.contains(fn); }
  // Does a call do a bounded amount of work for each of its elements, besides calling itself?
  bool is_linear(const core::Function& fn) const { return is_linear(fn.body, fn.name); }

  bool needs_lifting(const core::Stmt& stmt) const;
  bool needs_lifting(const core::Body& body) const;
  // Cheap enough to be repeated wherever it is needed?  `consumed`: names that somebody writes to.
  bool is_code(const core::Stmt& stmt, const Names& consumed) const;
  // Is there parallelism in the map whose extent differs from iteration to iteration?
  bool is_irregular_nest(const core::Soac& map) const;
  // Must this kernel be lifted?  On a device, if it calls a recursive function with parallel code:
  // that one finds out when its calls are short enough for a thread.
  bool must_lift(const core::Lambda& fn) const;

 private:
  void find_recursion();
  bool is_irregular(const core::Body& body, Names& local) const;
  bool is_linear(const core::Body& body, const std::string& fn) const;

  const core::NameTable& names_;
  const Device& device_;
  const Functions& originals_;
  std::unordered_map<core::Name, core::Type> types_;
  analysis::Ranks ranks_;
  Replicates replicates_;
  AccRoots accs_;
  std::unordered_map<std::string, std::unordered_set<std::string>> callees_;
  std::unordered_set<std::string> recursive_, tree_recursive_, parallel_;
};

}  // namespace skald::passes::lift
