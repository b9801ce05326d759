// SPDX-License-Identifier: Apache-2.0
// Products inside of loops that need nothing of the rounds before are one product before the loop.
//
//   before   loop s = a for i < n do               after   let ys = map (\r -> map (\w -> r · w) W)
//              let x = xs[i]                                            (flatten xs)
//              let y = map (\r -> map (\w ->                loop s = a for i < n do
//                                 r · w) W) x                 let y = (unflatten ys)[i]
//              …                                              …
//
// Rows of all rounds become rows of one map if nothing else tells them apart; otherwise there is a
// map over the rounds.  `W` must be an array: then it is read once for many rounds.  Loops inside
// of loops and branches are looked at, functions of SOACs are not.
//
// What has a bound of its own in memory are the values of all rounds:
//
//   kLikeStates   of loops whose states are going to be stored for each round (reverse mode): all,
//                 if those of a round are no larger than a state
//   kInParts      of others: the loop becomes one of parts, of so many rounds each that their
//                 values take no more than `memory` bytes, or of one round
#pragma once

#include <functional>

#include "core/ir/program.h"

namespace skald::passes {

struct EarlyProducts {
  enum class Memory : uint8_t { kLikeStates, kInParts };

  core::Program& prog;
  // Of names that the code uses.
  std::function<core::Type(core::Name)> type_of;
  Memory limit = Memory::kInParts;
  int64_t memory = 0;
  // Asked for each loop that changes.
  std::function<bool()> may_rewrite = [] { return true; };
};

// Gives the number of loops that changed.
int compute_products_early(core::Body& body, const EarlyProducts& how);

}  // namespace skald::passes
