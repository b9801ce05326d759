// SPDX-License-Identifier: Apache-2.0
// What a loop adds up to elements of an array, round by round, on devices.
#pragma once

#include "core/ir/program.h"

namespace skald::passes {

//   before   loop {s : [2]f32 = s0} for i < k do        after   loop {v : [n]f32 = zeros} for i < k
//   do
//              let {t} = soac(n, …, reduce +)                      let {ts : [n]f32} = map(n, …)
//              let {e} = s[1] ; let {e'} = e + t                   let {v'} = map(n, {v, ts}, +)
//              in s with [1] = e'                                  in v'
//                                                                s0 with [1] = s0[1] + reduce(v, +)
//
// Before, the host waits for a total in each round, and writes an element.  After, a kernel that
// the round has anyway adds to `v`, and there is one total for each element.  Constant places of
// arrays that the loop uses for nothing else.  Gives the number of loops that changed.
int add_totals_after_loops(core::Program& prog, core::Body& body);

}  // namespace skald::passes
