// SPDX-License-Identifier: Apache-2.0
// The parts of the pass `vectorise`.
//
//   vectorise.cpp    walks over the loops of a program, and explains
//   groups_inside.cpp groups of a reduction that no border touches
//   plan.cpp         does a loop run in lanes, in how many, and what becomes of its last iterations
//   marks.cpp        what is uniform, how memory is accessed, which branches become masks
//   stragglers.cpp   when the last lanes of a loop inside go on alone
//   scalar_loops.cpp what loops get that stay scalar
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "imp/analysis/block_classes.h"
#include "imp/passes/pass.h"
#include "imp/simd/lanes_analysis.h"

namespace skald::imp {

// Where a loop stands, as far as that matters for its lanes: in a function of the program or in the
// innermost parallel loop around it.
struct LoopPlace {
  BlockClasses& classes;
  const std::unordered_map<Name, Type>& types;
  // Of a parallel range: where the piece begins and what is computed from it, such as its place in
  // its row.
  Name range_begin = {};
  std::unordered_set<Name> piece_begins = {};
  bool in_chunks = false;  // of a parallel loop: long stretches
};

struct LoopDecision {
  std::unique_ptr<LanePlan> plan;  // none: the loop stays scalar
  // Of the groups, if there is a plan; of single iterations, if lanes do not pay; none if the loop
  // cannot have lanes.
  std::unique_ptr<LanesAnalysis> analysis;
  std::string why;  // for --explain
  double cost = 0;  // of an iteration, in simple instructions, if there is a plan
};
LoopDecision decide_lanes(const For& loop, LoopPlace& place, const Device& device);
// The same for a loop that is one group, if all its borders are the same in all lanes.
LoopDecision decide_inside(const For& loop, LoopPlace& place, const Device& device);

// A loop that is one group, the test whether no border touches it, what that needs before the loop
// around, and the same loop for where a border does.
struct InsideGroup {
  Body before, test;
  Operand cond;
  LoopDecision decision;
  For otherwise = {};
};
// `around`: the loop over such groups that it stands in, if it stands in one.
std::optional<InsideGroup> group_inside(const For& loop, const For* around, LoopPlace& place,
                                        const Device& device, Program& prog);

// Marks the statements of a loop that runs in lanes.
void mark_lanes(Body& body, const LanesAnalysis& analysis, const LanePlan& plan,
                const machine::VectorRegisters& machine);

// So many lanes of a loop inside are as quick one by one, after some rounds; 0 if they must stay
// together.
int stragglers(const Body& round, const LanesAnalysis& analysis, int lanes, int register_bytes);

// How many iterations of a loop that stays scalar run side by side for its checks; 0: none do.
int iterations_beside(const For& loop, const LanesAnalysis& analysis);
// The same where only the checks do, ahead of the rest.
int checks_ahead(const For& loop, LoopPlace& place);
// Marks the branches of iterations that no processor can foresee and that are cheap on both sides.
void mark_choices(Body& body, const LanesAnalysis& points, PassContext& ctx);

}  // namespace skald::imp
