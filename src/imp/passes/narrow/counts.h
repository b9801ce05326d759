// SPDX-License-Identifier: Apache-2.0
// Counts in no more bits than what is compared has.
//
//                                                 for (b = 0; b < n; b += 2³⁰) {
//                                                   u32 short[l] = 0; …
//   for (i = 0; i < n; i += 1)                      for (i = b; i < min(b + 2³⁰, n); i += 1)
//     simd for (l = 0; l < 16; …) {                   simd for (l = 0; l < 16; …) {
//       bool c = lt_f32(…);                             bool c = lt_f32(…);
//       i64 lanes[l] += i64(c);               →         u32 short[l] += u32(c);
//     }                                               }
//                                                   i64 lanes[l] += i64(short[l]); …
//                                                 }
//
// A comparison of f32 gives a vector of 32-bit masks; to add them to numbers of 64 bits they have
// to be widened, and twice as many registers added.  The rounds of a loop are cut into blocks so
// that the narrow counts cannot overflow.  The same for variables in loops inside of `simd for`.
#pragma once

#include "imp/ir/imp.h"

namespace skald::imp {

void narrow_counts(Program& prog);

}  // namespace skald::imp
