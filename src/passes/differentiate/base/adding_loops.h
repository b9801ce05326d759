// SPDX-License-Identifier: Apache-2.0
// Loops that only add up are sums.
//
//   loop s = a for i < n do s + f(i)   →   a + reduce (+) 0 (map f (iota n))
//
// In reverse mode rounds of a loop depend on each other, iterations of a map do not: no tape is
// needed, and what the rounds add to arrays from outside may become sums (sums/sum_writes.cpp).
#pragma once

#include "passes/differentiate/base/session.h"

namespace skald::passes::ad {

// At every depth.  Only loops whose rounds are scalar code: as a map, others might store the arrays
// of all rounds.
void turn_adding_loops(Session& session, Body& body);

}  // namespace skald::passes::ad
