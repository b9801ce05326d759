// SPDX-License-Identifier: Apache-2.0
// What simplification knows while it walks over a function.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/facts.h"
#include "core/ir/name_map.h"
#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes::simplify_rules {

class Env {
 public:
  explicit Env(core::Program& prog)
      : prog_(prog), facts_([this](core::Name name) { return definition(name); }) {}

  core::Program& program() { return prog_; }
  // A function without parameters that is computed once, and cannot fail or run forever.
  bool is_total_constant(const std::string& fn);
  analysis::Facts& facts() { return facts_; }
  const analysis::Facts& facts() const { return facts_; }
  // Rows of an array 0, 1, … are indices.
  void know_indices(const std::vector<core::Name>& inputs, const core::Lambda& fn);

  // ---- values

  // The operand that `o` equals, as far as is known.
  core::Operand now(const core::Operand& o) const;
  void set_known(core::Name name, core::Operand value);

  // ---- definitions

  // The expression that bound a name, if it holds no code; null otherwise.
  const core::Exp* definition(core::Name name) const;
  template <class Node>
  const Node* definition_as(const core::Operand& o) const {
    const core::Name* name = core::as_name(o);
    const core::Exp* exp = name == nullptr ? nullptr : definition(*name);
    return exp == nullptr ? nullptr : std::get_if<Node>(exp);
  }
  // The checks that the statement which bound a name relies on.
  std::vector<core::Name> tokens(core::Name name) const;
  // The type of an array, or null.
  const core::Type* type(core::Name name) const;
  // A parameter of a function, lambda or loop.
  void bind(const core::Param& param);
  // With a copy of the expression, if there is one already.
  void define(const core::Stmt& stmt, std::shared_ptr<const core::Exp> copy = nullptr);

  // The name of an expression that was computed before another one and is in scope.
  using Earlier = std::function<std::optional<core::Name>(const core::Exp&, const core::Exp&)>;
  void set_earlier(Earlier earlier) { earlier_ = std::move(earlier); }
  std::optional<core::Name> earlier(const core::Exp& exp, const core::Exp& than) const {
    return earlier_ ? earlier_(exp, than) : std::nullopt;
  }

  // If `size` is the size of a class of a partition of `whole` rows that drops none: its other
  // classes.
  const std::vector<core::Name>* classes_beside(core::Name size, const core::Operand& whole) const;

  // ---- uses, counted before the walk

  void count_uses(const core::Function& fn);
  int uses(core::Name name) const;
  // True if the array may be consumed or become (part of) a result: then it must stay itself.
  bool is_kept_apart(core::Name name) const { return apart_.contains(name); }
  bool is_live(core::Name name) const { return uses(name) > 0; }

  // ---- scopes

  // A name's block: results of the same block may be moved within it.
  void enter_block() { ++block_; }
  int block() const { return block_; }
  void set_block(int block) { block_ = block; }
  int block_of(core::Name name) const;
  // True for arrays that were made, not taken from elsewhere, in the statement that bound them.
  bool is_fresh(core::Name name) const { return fresh_.contains(name); }
  // True for arrays that nobody can change, under any name, while they are in scope.
  bool is_unchanging(core::Name name) const {
    return !is_kept_apart(name) && (is_fresh(name) || unshared_.contains(name));
  }

  core::Name fresh(std::string_view base) { return prog_.names.fresh(base); }
  core::Stmt make(core::Type type, core::Exp exp, std::string_view base, core::Loc loc,
                  core::Name* name);

 private:
  void remember(const core::Param& param);
  void count(const core::Body& body);
  void keep_apart(const core::Operand& o);
  void keep_rows_apart(const core::Exp& exp);

  core::Program& prog_;
  analysis::Facts facts_;
  std::unordered_map<std::string, bool> total_constants_;
  core::NameMap<core::Operand> known_;
  core::NameMap<std::shared_ptr<const core::Exp>> definitions_;
  core::NameMap<std::vector<core::Name>> tokens_;
  std::unordered_map<core::Name, core::Type> types_;  // their addresses are handed out
  core::NameMap<int> uses_;
  core::NameMap<int> blocks_;
  // By the size of a class: the rows that were partitioned, and the sizes of all classes.
  struct Classes {
    core::Operand whole;
    std::vector<core::Name> sizes;
  };
  core::NameMap<std::shared_ptr<const Classes>> classes_;
  Earlier earlier_;
  core::NameSet apart_;
  core::NameSet fresh_;
  core::NameSet unshared_;  // of calls, which know nothing that others know
  int block_ = 0;
};

// A copy of an expression that holds no code; null for one that does.
std::shared_ptr<const core::Exp> copy_of(const core::Exp& exp);

}  // namespace skald::passes::simplify_rules
