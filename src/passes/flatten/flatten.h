// SPDX-License-Identifier: Apache-2.0
// Flattening: shared by the files of this folder.  flatten.cpp says what the pass does.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/edit/builder.h"
#include "core/edit/rename.h"
#include "core/ir/program.h"
#include "passes/flatten/sink_checks.h"
#include "passes/pass.h"

namespace skald::passes {

// What is known about arrays made by `replicate`.
using Replicates = std::unordered_map<core::Name, core::Replicate>;

// One function on its way.
class Flattener {
 public:
  Flattener(core::Program& prog, PassContext& ctx, std::string function)
      : prog_(prog), ctx_(ctx), function_(std::move(function)) {}

  void function_body(core::Body& body, const std::vector<core::Ret>& results);

  // ---- for the parts of flattening
  // Makes all parallelism in a body explicit: every SOAC becomes a sequence of perfect nests.
  void expose(core::Body& body);
  // The map as a sequence of statements; gives its results.
  std::vector<core::Operand> append_map(core::Builder& out, core::Soac map, core::Loc loc);
  bool is_distributable(const core::Soac& map) const;
  core::Program& program() { return prog_; }
  // Must arrays that a loop starts from be its own?  A loop without rounds returns them, and the
  // map that it stood in returned new ones.
  bool loops_need_own_arrays() const { return loops_need_own_arrays_; }
  const Emptiness& emptiness() const { return emptiness_; }
  // Is one thread too slow to copy a row?
  bool in_groups() const { return ctx_.device().groups; }

 private:
  // Code of the host: where two versions of a nest are worth having, both.
  void host_body(core::Body& body);
  bool may_be_consumed(const core::Stmt& stmt) const;
  void host_stmt(core::Builder& out, core::Stmt stmt);
  bool loop_of_operators(core::Builder& out, core::Stmt& stmt);
  void expose_stmt(core::Builder& out, core::Stmt stmt);
  // The second version of a SOAC, or nothing if it would be no better.
  std::optional<core::Body> flat_version(const core::Stmt& stmt);
  // The version that runs an iteration as one group of threads: its code, and the condition under
  // which it is worth taking, which is computed in `out`.
  struct GroupVersion {
    core::Body body;
    core::Operand cond;
    // Of this version or the flat one, whichever is taken.
    std::optional<core::Operand> time;
  };
  enum class GroupUse : uint8_t { kNest, kLoop };
  // Is it small enough, and are there not too many already?
  bool may_have_group(const core::Stmt& stmt, GroupUse use) const;
  // `flat_time`: what the flat version takes, if that is known (version_times.h).
  std::optional<GroupVersion> group_version(core::Builder& out, const core::Stmt& stmt,
                                            GroupUse use,
                                            const std::optional<core::Operand>& flat_time);
  // A loop of the host as a map over one point that runs it in a group (group_loops.cpp): its code,
  // and when to take it.  Nothing if groups cannot run it.
  std::optional<GroupVersion> loop_in_group(core::Builder& out, const core::Stmt& stmt);
  void host_loop(core::Builder& out, core::Stmt stmt);
  void choose(core::Builder& out, core::Stmt stmt, core::Body flat, bool outer);
  // How many points must run at once before more parallelism stops paying.
  core::Operand threshold(core::Builder& out, const core::Operand& points);
  core::Operand tunable(core::Builder& out, const std::string& name, const core::Operand& points);
  core::Operand sufficient_if(core::Builder& out, const core::Operand& cond);
  void note(const core::Stmt& stmt);

  core::Program& prog_;
  PassContext& ctx_;
  std::string function_;
  int thresholds_ = 0;
  int groups_ = 0, group_loops_ = 0;
  int added_ = 0;
  int distributed_ = 0;
  // Names of the function whose memory is written or given away somewhere.
  std::unordered_set<core::Name> consumed_;
  Emptiness emptiness_;
  bool loops_need_own_arrays_ = false;
  Replicates replicates_;
  // Results of maps that were taken apart, by their old names.
  core::Substitution renamed_;
};

// ---- distribute.cpp
// Appends perfect nests and scalar maps that together compute the map; gives its results.  Nothing
// if the body has no parallelism that can be separated.
// Does code give nothing but views and copies of arrays?
bool returns_views(const core::Body& body);  // whole.cpp

std::optional<std::vector<core::Operand>> distribute(Flattener& flat, core::Builder& out,
                                                     core::Soac map, core::Loc loc);

// ---- operators.cpp
bool has_array_operator(const core::Soac& soac);
// The map that is all the operator does, or null.
const core::Soac* mapped_operator(const core::Operator& op);
// \{as, bs} -> map(m, …, f)   becomes   f, as an operator on rows.
core::Operator row_operator(core::Program& prog, const core::Operator& op, const core::Soac& map,
                            std::vector<core::Operand> neutral);
// A reduction or scan whose operator maps over arrays, as a map of reductions or scans over
// transposed inputs.  False if it is none, and then nothing changed.
bool interchange_operators(core::Builder& out, core::Stmt& stmt, Replicates& replicates);
// Takes the function of a SOAC out of it: gives the map that comes before, and leaves `stmt` to
// work on what that stores.  Nothing if there is no work in the function.
std::optional<core::Stmt> split_off_map(core::Program& prog, core::Stmt& stmt);
// What a SOAC after split_off_map only hands on: the arrays themselves, as statements.
std::vector<core::Stmt> take_handed_on(core::Stmt& stmt);
// Reductions and scans that stand side by side, and what is only handed on, one by one, if the
// function does nothing.  `own`: inputs that are handed on were made for this, and need no copy.
std::vector<core::Stmt> separate_operators(core::Program& prog, core::Stmt stmt, bool own);

}  // namespace skald::passes
