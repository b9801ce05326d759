// SPDX-License-Identifier: Apache-2.0
// The state of the verifier of imp; verify.cpp looks at functions and scopes, verify_nodes.cpp at
// each kind of statement.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "imp/ir/imp.h"

namespace skald::imp {

// What is known of a name.
struct Binding {
  Type type;
  bool assignable = false;
  int parallel_depth = 0;  // how many parallel loops were open where it was bound
};

class Verifier {
 public:
  Verifier(const Program& prog, std::vector<std::string>& problems)
      : prog_(prog), problems_(problems) {}

  void function(const Function& fn);

 private:
  void complain(std::string what);
  void bind(Name name, Type type, bool assignable);
  const Binding* lookup(Name name);
  void want(const Operand& o, Prim type, std::string_view what);
  void want_i64(const Operand& o, std::string_view what) { want(o, Prim::kI64, what); }
  const Binding* want_block(Name name);
  void want_heap(Name name);
  // A block that owns a reference; in host code of a device, in the memory of that space.
  void want_heap(Name name, Space space);
  // The group's own memory is another kind of memory: its pointers do not mix with others.
  void want_shared(Name name);
  void want_assignable(Name name);

  // Gives the names that they bind, whose scope is still open.
  std::vector<Name> statements(const Body& body);
  void body(const Body& body);
  // What follows a call that runs beside the next one.
  void beside(const Call& call, std::span<const Stmt> rest);
  // A body with names of its own statement in front.
  void inner(const Stmt& stmt, const Body& inner_body, bool parallel);
  // The result is computed inside the body, so its scope is opened once more for it.
  void after_update(const AtomicUpdate& n);

  void check_node(const Stmt& stmt);
  // Is it legal for the program's target (legality.h)?
  void check_place(const Stmt& stmt);
  void check_exp(const Let& n);

  const Program& prog_;
  std::vector<std::string>& problems_;
  const Function* fn_ = nullptr;
  const Stmt* stmt_ = nullptr;
  int parallel_depth_ = 0;
  bool in_launch_ = false;
  bool whole_warps_ = false;  // have the groups of the launch?
  int attempts_ = 0;          // that we are in
  bool may_order_ = false;    // in parallel chunks, before their `ordered`
  // After an `ordered` in one branch: where there may be another one, in which branch on what
  // value.
  std::optional<std::pair<Name, bool>> other_order_;
  std::optional<Name> my_turn_;  // what says whether the chunk runs alone
  std::unordered_map<uint32_t, Binding> scope_;
  std::unordered_set<uint32_t> bound_;

  friend struct Checks;
};

}  // namespace skald::imp
