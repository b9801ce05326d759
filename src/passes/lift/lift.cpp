// SPDX-License-Identifier: Apache-2.0
// Lifting (full flattening): the code of one instance — one iteration of a map, one call of a
// function — becomes host code that runs all instances of a batch together, one kernel for each
// parallel statement, however the sizes inside differ.
//
//   before   map(n, {offs, lens}, \{o, k} ->            after   the values of pos for all instances
//              ys = filter(k, xs[o for k])                        lie one after another; one kernel
//              r  = reduce(m, ys, …)                              classifies all elements, one
//              in {r})                                            partitions them, one reduces them
//                                                                 segment by segment
//
// Statements are of these kinds:
//   host        the same for all instances and total: computed once
//   code        cheap: repeated in every kernel that needs it, never stored
//   sequential  scalar code: neighbours share one kernel with one point per instance
//   parallel    SOACs, partitions and concatenations, writes (parallel/)
//   control     branches and loops around parallel code (control/)
//   writes      to accumulators, a kernel for each (accumulators/)
//   calls       of functions with parallel code, which get a lifted version; independent calls of
//               one function become one call on a larger batch (calls/)
//
// Where a value is, for all instances, is said by `Lifted` (batch/batch.h); batch/point.h reads it.
// Of what kind a statement is, program/facts.cpp knows; bodies.cpp walks through them, maps.cpp is
// what the outside asks for.
//
// Part of extract-kernels: stage SOACS in, stage KERNELS out, since only there are segments.
// Tests: tests/golden/passes/lift/*.core, tests/programs/nested/irregular*.fut,
// tests/programs/recursion
#include "passes/lift/lift.h"

#include "passes/lift/bodies.h"

namespace skald::passes {

Lifter::Lifter(core::Program& prog, PassContext& ctx, const lift::Functions& originals)
    : facts_(prog, ctx.device(), originals),
      lifting_{prog, ctx, facts_,
               [this](lift::Batch& b, const core::Body& body) {
                 lift::BodyWalk(lifting_, functions_, b, body).run();
               }},
      functions_(lifting_) {}

}  // namespace skald::passes
