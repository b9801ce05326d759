// SPDX-License-Identifier: Apache-2.0
// The distribution of one map; see distribute.cpp.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/parallelism.h"
#include "core/edit/builder.h"
#include "core/edit/rename.h"
#include "passes/flatten/flatten.h"

namespace skald::passes {

class Distribution {
 public:
  Distribution(Flattener& flat, core::Soac map, core::Loc loc);
  std::optional<std::vector<core::Operand>> run(core::Builder& out);

 private:
  // A statement of the map's body.
  struct Part {
    enum Kind : uint8_t { kSequential, kRepeated, kParallel };
    core::Stmt stmt;
    std::unordered_set<core::Name> uses = {};
    Kind kind = kSequential;
  };

  // ---- what kind of statement
  bool is_invariant(const core::Type& type) const;
  bool is_invariant(const std::unordered_set<core::Name>& names) const;
  // Can a value of this type be stored for all iterations?
  bool can_cross(const core::Type& type) const;
  bool makes_nest(const core::Stmt& stmt) const;
  bool can_interchange(const core::Stmt& stmt) const;
  void hoist();
  void classify();
  void keep_together();

  // ---- making maps
  std::vector<size_t> repeated_for(std::unordered_set<core::Name> needed) const;
  std::vector<core::Param> used_outside(const std::vector<size_t>& group) const;
  // A map over copies of these statements, with what they need: stored values as inputs, repeated
  // statements in front.  `bound` names further rows and the arrays they come from.
  core::Soac capture(const std::vector<const core::Stmt*>& stmts,
                     const std::vector<core::Operand>& results, std::vector<core::Type> types,
                     const std::vector<std::pair<core::Param, core::Name>>& bound,
                     core::Substitution subst);
  // Appends such a map and remembers where its values are stored.
  void store(const std::vector<const core::Stmt*>& stmts, std::vector<core::Param> values);
  // The array that holds a value for every iteration.
  core::Operand lift(const core::Operand& value, const core::Type& type);
  core::Name lift_invariant(const core::Operand& value, const core::Type& type);
  size_t position(const core::Stmt* stmt) const;
  void sequential(const std::vector<size_t>& group);
  void parallel(size_t i);

  // ---- whole.cpp
  const Part* defining_part(core::Name name) const;
  bool is_view_of_all(const Part& part) const;
  bool views_whole(const Part& part) const;
  bool reshapes_whole(const Part& part) const;
  // Can it be had for all iterations at once, as an array or a view of one?
  bool is_whole(core::Name name) const;
  core::Name whole(core::Name name);
  void copy_whole(core::Name name, core::Name source);
  bool copies_whole(const core::Stmt& stmt) const;
  bool concats_whole(const core::Stmt& stmt) const;
  void concat_whole(const core::Stmt& stmt);
  void replicate_as_nest(core::Stmt& stmt) const;

  // ---- interchange.cpp
  void loop(const core::Stmt& stmt);
  void branch(const core::Stmt& stmt);
  void branch_by_batches(const core::Stmt& stmt, const core::If& node);
  core::Soac on_batch(core::Soac map, core::Name count, core::Name members);
  // The operands as values that are stored or invariant: repeated ones are stored now.
  void store_operands(const std::vector<core::Operand>& operands);

  Flattener& flat_;
  core::Program& prog_;
  core::Soac map_;
  core::Builder host_;
  // Where statements go: the host code, or the body of a loop or branch in it.
  core::Builder* out_ = nullptr;
  std::vector<Part> parts_;
  std::unordered_map<const core::Stmt*, size_t> positions_;
  std::unordered_set<core::Name> local_, consumed_;
  std::unordered_map<core::Name, core::Type> types_, hoisted_;
  analysis::Ranks ranks_;
  // The arrays that hold local values for all iterations.
  std::unordered_map<core::Name, core::Name> lifted_;
};

}  // namespace skald::passes
