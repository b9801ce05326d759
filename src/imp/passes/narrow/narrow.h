// SPDX-License-Identifier: Apache-2.0
// Loops over the iterations that do something only.
//
//   parallel range (b, e < n) {                      i64 lo = k + 1;
//     for (i = b; i < e) {                           parallel range (b', e' < n - lo) {
//       if (i <= k) { }                                for (i = b' + lo; i < e' + lo) {
//       else {                                  →        for (j = max(0, k); j < n) {
//         for (j = 0; j < n) {                             a[i*n + j] = …;
//           x = a[i*n + j];
//           r = j < k ? x : …;
//           a[i*n + j] = r;
//
// Two steps, from the inside out.  self_stores.cpp: a value that was read from the place where it
// is stored need not be stored; where a comparison with the loop's index decides about that, the
// store moves into the branches.  narrow.cpp: a loop whose body does nothing unless its index is on
// one side of a border begins or ends there, and a loop that does nothing unless something holds
// that it does not change is behind a branch.  Maps that change an array where it is
// (docs/memory.md) become the updates that somebody would have written by hand.
#pragma once

#include "imp/ir/imp.h"
#include "imp/passes/narrow/facts.h"

namespace skald::imp {

void narrow_loops(Program& prog);

// Of the stores in the body of the loop, makes those conditional that sometimes store what is
// there.
void remove_self_stores(For& loop, const Facts& facts);

}  // namespace skald::imp
