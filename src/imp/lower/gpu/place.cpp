// SPDX-License-Identifier: Apache-2.0
// Where the arrays of a group of threads lie; see place_group_blocks in launch.h.
//
// A group's own memory is fast and small, and a pointer to it is no pointer to the device's memory:
// what a variable of a block may hold is either or.  So blocks and variables that are assigned from
// each other make a class, and a class goes one way or the other:
//
//   to the group's memory     if every block in it was made by the group's code, in a scope that
//   the
//                             variables do not outlive, with a size that the host can compute, and
//                             no function gets it
//   to the device's memory    otherwise
#include <algorithm>

#include "imp/ir/visit.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

namespace {

class Placement {
 public:
  Placement(Code& host, Launch& launch, bool own_memory)
      : host_(host), launch_(launch), values_(host, launch), own_memory_(own_memory) {}

  Operand run() {
    survey(launch_.body);
    for (const Made& made : made_) {
      const Name root = find(made.name);
      const bool is_constant = core::as_const(made.bytes) != nullptr;
      if (!is_constant && (!own_memory_ || !values_.of(made.bytes))) pinned_.insert(root);
      for (const auto& [var, scope] : variables_)
        if (find(var) == root && !encloses(made.scope, scope)) pinned_.insert(root);
    }
    std::unordered_set<Name> own;
    for (const Made& made : made_) own.insert(made.name);
    for (const auto& [var, scope] : variables_) own.insert(var);
    // Blocks of the code around, and of single threads.
    for (const auto& [name, parent] : parent_)
      if (!own.contains(name)) pinned_.insert(find(name));
    for (const Name name : passed_) pinned_.insert(find(name));
    // Statements move from here on, so that no more values can be looked up; those of all sizes
    // were.
    rewrite(launch_.body);
    Operand sum = const_i64(0);
    for (const Operand& bytes : sizes_) sum = host_.add_i64(sum, bytes);
    return sum;
  }

 private:
  using Scope = std::vector<int>;
  struct Made {
    Name name;
    Operand bytes;
    Scope scope;
  };

  static bool is_division(const Let& let) {
    const auto* op = std::get_if<core::BinOp>(&let.exp);
    return op != nullptr && (op->op == BinOpKind::kQuot || op->op == BinOpKind::kRem);
  }
  static bool encloses(const Scope& outer, const Scope& inner) {
    return outer.size() <= inner.size() && std::equal(outer.begin(), outer.end(), inner.begin());
  }

  Name find(Name name) {
    for (auto at = parent_.find(name); at != parent_.end() && !(at->second == name);
         at = parent_.find(name))
      name = at->second;
    return name;
  }
  void join(Name a, Name b) {
    parent_.try_emplace(a, a);
    parent_.try_emplace(b, b);
    parent_[find(a)] = find(b);
  }

  void survey(const Body& body) {
    scope_.push_back(++scopes_);
    for (const Stmt& stmt : body.stmts) {
      if (const Alloc* n = as<Alloc>(stmt); n != nullptr && n->space == Space::kShared)
        made_.push_back({n->name, n->bytes, scope_});
      if (const BlockVar* n = as<BlockVar>(stmt)) {
        if (n->space == Space::kGroup) variables_.emplace_back(n->name, scope_);
        if (n->init) join(n->name, n->init);
      }
      if (const BlockAssign* n = as<BlockAssign>(stmt)) join(n->var, n->value);
      // Sizes of chunks and the like: divisions are slow on devices.
      if (const Let* n = as<Let>(stmt); n != nullptr && is_division(*n)) values_.of(n->name);
      if (const Call* n = as<Call>(stmt))
        for (const Operand& arg : n->args)
          if (const Name* name = core::as_name(arg)) passed_.insert(*name);
      for_each_body(stmt, [&](const Body& inner) { survey(inner); });
    }
    scope_.pop_back();
  }

  bool is_pinned(Name name) { return pinned_.contains(find(name)); }

  void rewrite(Body& body) {
    std::vector<Stmt> kept;
    for (Stmt& stmt : body.stmts) {
      if (Alloc* n = as<Alloc>(stmt); n != nullptr && n->space == Space::kShared) {
        if (is_pinned(n->name)) {
          n->space = Space::kGroup;
        } else if (core::as_const(n->bytes) == nullptr) {
          const Operand bytes = *values_.of(n->bytes);
          const Operand rounded =
              host_.binop(BinOpKind::kAnd, host_.add_i64(bytes, const_i64(kSharedAlignment - 1)),
                          const_i64(-kSharedAlignment), "bytes");
          sizes_.push_back(rounded);
        }
      }
      if (BlockVar* n = as<BlockVar>(stmt); n != nullptr && n->space == Space::kGroup)
        if (!is_pinned(n->name)) n->space = Space::kShared;
      // Memory of the group is gone with its scope.
      if (const Free* n = as<Free>(stmt); n != nullptr && is_own(n->block)) continue;
      if (Let* n = as<Let>(stmt); n != nullptr && is_division(*n))
        if (const std::optional<Operand> known = values_.of(n->name)) n->exp = core::Value{*known};
      for_each_body(stmt, [&](Body& inner) { rewrite(inner); });
      kept.push_back(std::move(stmt));
    }
    body.stmts = std::move(kept);
  }

  bool is_own(Name name) {
    const bool ours =
        std::ranges::any_of(variables_, [&](const auto& v) { return v.first == name; }) ||
        std::ranges::any_of(made_, [&](const Made& m) { return m.name == name; });
    return ours && !is_pinned(name);
  }

  Code& host_;
  Launch& launch_;
  HostValues values_;
  bool own_memory_;
  int scopes_ = 0;
  Scope scope_;
  std::vector<Made> made_;
  std::vector<std::pair<Name, Scope>> variables_;
  std::unordered_map<Name, Name> parent_;
  std::unordered_set<Name> pinned_, passed_;
  std::vector<Operand> sizes_;
};

}  // namespace

Operand place_group_blocks(Code& host, Launch& launch, bool own_memory) {
  return Placement(host, launch, own_memory).run();
}

}  // namespace skald::imp
