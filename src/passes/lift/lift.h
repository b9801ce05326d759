// SPDX-License-Identifier: Apache-2.0
// Lifting: code for one instance becomes host code for a whole batch of instances, whatever the
// sizes inside.  lift.cpp says what it does; docs/flattening.md has pictures.
#pragma once

#include <optional>
#include <vector>

#include "core/edit/builder.h"
#include "core/ir/program.h"
#include "passes/lift/batch/lifting.h"
#include "passes/lift/calls/lifted_functions.h"
#include "passes/lift/program/facts.h"
#include "passes/pass.h"

namespace skald::passes {

// What the outside asks for.
class Lifter {
 public:
  Lifter(core::Program& prog, PassContext& ctx, const lift::Functions& originals);
  Lifter(const Lifter&) = delete;
  Lifter& operator=(const Lifter&) = delete;

  // map(n, …) with parallelism inside that no grid can show: the host code that computes it.
  // Its results are those of the map.  Nothing if there is none, or if it cannot be lifted.  A map
  // that is given accumulators is lifted whatever is inside: a kernel for each write.
  // Unless it `must` be lifted, only while the program does not grow too much by it.
  // Loops of scalar code that write are lifted too if asked for: with kernels for each round.
  enum class ScalarLoops : uint8_t { kRefused, kLifted };
  std::optional<core::Body> lift_map(const core::Stmt& stmt, bool must,
                                     ScalarLoops loops = ScalarLoops::kRefused);
  // The same for flatmap; appends its kernels.
  bool lift_flatmap(core::Builder& out, const core::Stmt& stmt);
  // A call of a function that calls itself several times, as a batch of one instance: the calls
  // of one level of the recursion run together.
  bool lift_call(core::Builder& out, const core::Stmt& stmt) {
    return functions_.lift_call(out, stmt);
  }
  // Once all host code is made, for each of the functions that were there before.
  void finish_function(core::Function& fn) { functions_.leave_small_calls_to_a_thread(fn); }
  // What is known of the program; code that comes up later must be noted there.
  lift::Facts& facts() { return facts_; }

  // The lifted functions made so far.
  std::vector<core::Function> take_functions() { return functions_.take(); }

 private:
  lift::Batch lift_iterations(core::Builder& out, core::Loc loc, const core::Operand& width,
                              const std::vector<core::Name>& inputs, const core::Lambda& fn);

  lift::Facts facts_;
  lift::Lifting lifting_;
  lift::LiftedFunctions functions_;
};

}  // namespace skald::passes
