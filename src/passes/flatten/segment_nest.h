// SPDX-License-Identifier: Apache-2.0
// A map whose iterations have one SOAC inside, of a length that differs between them: the pieces of
// its kernels (segments.cpp says which).
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/parallelism.h"
#include "core/edit/builder.h"
#include "core/edit/rename.h"

namespace skald::passes {

class SegmentNest {
  using Names = std::unordered_set<core::Name>;

 public:
  SegmentNest(core::Program& prog, const core::Operand& width,
              const std::vector<core::Name>& inputs, const core::Lambda& fn, core::Loc loc)
      : prog_(prog), width_(width), inputs_(inputs), fn_(fn), loc_(loc) {}

  // Finds the inner SOAC — the last one of the given width, or the only one whose width differs
  // between segments — and decides what is stored; false if the nest is not of this kind.
  bool match(const core::Operand* width = nullptr);

  const core::Stmt& inner_stmt() const { return fn_.body.stmts[at_]; }
  const core::Soac& inner() const { return *inner_; }

  // Appends the first kernel; `more` are further results of the function that it stores.  Gives the
  // offsets and remembers the rest.
  std::vector<core::Name> first_kernel(core::Builder& out, const std::vector<core::Operand>& more,
                                       const std::vector<core::Type>& more_types);
  core::Name offsets() const { return offsets_; }
  core::Name total() const { return total_; }

  // The kernel over the elements, without sinks.
  core::Kernel element_kernel();

  // Code for one segment: results of the function, given arrays that hold results of the inner
  // SOAC.
  core::Lambda per_segment(const std::vector<core::Operand>& results,
                           const std::vector<core::Type>& types,
                           const std::unordered_map<core::Name, core::Name>& known,
                           const std::vector<core::Name>& checks = {});

  // Does code that `results` need come after the inner SOAC?
  bool needs_inner(const std::vector<core::Operand>& results) const;

  // Can code of one segment use only regular results of the inner SOAC?
  bool uses_only_reductions(const std::vector<core::Operand>& results) const;

 private:
  void bind(const core::Param& p);
  void by_name(const core::Stmt& stmt);
  bool is_local(const core::Operand& o) const;
  bool is_regular(const core::Type& type) const;
  static bool binds_any(const core::Stmt& stmt, const Names& wanted);
  bool simple(const core::Soac& soac) const;
  // iota or replicate: element j is computed, not read.
  const core::Stmt* generator(core::Name array) const;
  // What the code at one element needs: repeated statements, stored values, parameters.
  bool find_needs();
  // Elements come after the checks of their segments.
  void forget_checks(core::Body& body) const;
  // Reads the rows of one segment that are wanted.
  void read_segment(core::Builder& body, core::Name i, core::Substitution& subst,
                    const Names& wanted);
  core::Operator addition();

  core::Program& prog_;
  const core::Operand width_;
  const std::vector<core::Name>& inputs_;
  const core::Lambda& fn_;
  const core::Loc loc_;
  const core::Soac* inner_ = nullptr;
  size_t at_ = 0;
  Names local_, needed_;
  std::unordered_map<core::Name, core::Type> types_;
  analysis::Ranks ranks_;
  std::unordered_map<core::Name, const core::Stmt*> made_by_;
  std::vector<size_t> repeated_;
  std::vector<core::Param> stored_;
  // Tokens of checks that the inner SOAC comes after; the first kernel performs them.
  std::vector<core::Name> checks_;
  std::unordered_map<core::Name, core::Name> stored_at_;
  core::Name offsets_ = {}, total_ = {};
};

}  // namespace skald::passes
