// SPDX-License-Identifier: Apache-2.0
// Loops that update an array in place: what they read of it is stored, not the array.
//
//   loop y = a for i < n do
//     let v = y[j]                     forward    v of each round is stored:  vs with [i] = v
//     in y with [k] = f(v)             backward   v = vs[i]
//
// No rule needs the values of y: that of the read adds v̄ to ȳ[j], that of the update takes the
// cotangent of f(v) from ȳ[k] and puts a zero there.  A tape of y would hold n arrays, and storing
// them would take longer than the loop.
#pragma once

#include <vector>

#include "passes/differentiate/base/session.h"

namespace skald::passes::ad {

// What the rounds of a loop read of such arrays.
std::vector<Param> kept_reads(const Loop& loop);

}  // namespace skald::passes::ad
