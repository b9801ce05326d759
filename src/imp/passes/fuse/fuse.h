// SPDX-License-Identifier: Apache-2.0
// Neighbouring loops of one lane become one, if that saves loads.
//
//   simd for (…) {                            simd for (…) {
//     scratch a = alloc(…);                     scratch b = alloc(…);
//     for (i = 0; i < n; i += 1) {              var f32 first = 0; var f32 acc = 0; var f32 last =
//     0;
//       f32 x = …; a[i] = x;                    for (i = 0; i < n; i += 1) {
//     }                                           f32 x = …;
//     f32 first = a[0];                           if (i == 0) { first = x; }
//     scratch b = alloc(…);                  →    if (0 < i) { … x …, … last … }
//     var f32 acc = 0;                            acc = …; b[i] = acc; last = x;
//     for (j = 0; j < n; j += 1) {              }
//       if (0 < j) { … a[j], … a[j - 1] }       … b …
//       acc = …; b[j] = acc;                  }
//     }
//     … b …
//   }
//
// A map and the scans after it, each over the row that the one before has made, are such loops.  A
// row of each lane is more than the first-level cache soon, and a scan waits for itself while it
// could do what comes before and after it.
//
// Only in lanes: there a loop of the body is sequential in any case.  Loops that LLVM could make
// vectors of stay apart.
//
// accesses.h   which loops may be fused
// fuse.cpp     fuses them
// forward.cpp  values go from stores to loads; stores that nobody needs
#pragma once

#include <unordered_set>

#include "imp/ir/imp.h"
#include "imp/passes/narrow/facts.h"
#include "imp/simd/registers.h"

namespace skald::imp {

void fuse_loops(Program& prog, const VectorRegisters& registers);

// For variables that are assigned before they are read.
Const zero_of(Prim type);

// Loads from `blocks`, which only this loop's lane knows, in the loop that is statement `at` of the
// body become values that are stored there, in the same iteration or the one before.  What has to
// be carried from iteration to iteration is declared before the loop.
void forward_stores(Program& prog, const Facts& facts, const std::unordered_set<Name>& blocks,
                    Body& body, size_t at);
// Removes stores of that loop whose elements are all overwritten before anything is read: by a
// later store in the same iteration, or by a later loop.
void remove_overwritten(const Facts& facts, const std::unordered_set<Name>& blocks, Body& body,
                        size_t at);

}  // namespace skald::imp
