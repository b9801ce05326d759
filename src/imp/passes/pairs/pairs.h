// SPDX-License-Identifier: Apache-2.0
// Two rows of a stencil at a time.
//
//   for (r = b; r < e) {                        for (i = b; i < e; i += 2) {
//     up = …; down = …;                           i2 = i + 1;  up, down, up2, down2 = …;
//     simd for (j = 0; j < m) {                   if (i2 < e && down == i2 && i == up2) {
//       x = a[up*m + j];                            simd for (j = 0; j < m) {
//       y = a[r*m + j];                               x = a[up*m + j];
//       z = a[down*m + j];                 →          y = a[i*m + j];
//       c[r*m + j] = f(x, y, z);                      z = a[down*m + j];
//     }                                               w = a[down2*m + j];
//   }                                                 c[i*m + j] = f(x, y, z);
//                                                     c[i2*m + j] = f(y, z, w);
//                                                   }
//                                                 } else { the loop as it was, for i and i2 }
//                                               }
//
// What the two rows load from the same places is loaded once, and what they compute from it is
// computed once.  Which places those are is guessed from an example; the branch sees to it that the
// guess holds, so it may be wrong: at the borders of a torus it is.
//
// Only the rows of a parallel range are taken together, which may run in any order.
#pragma once

#include "imp/ir/imp.h"

namespace skald::imp {

void pair_rows(Program& prog);

}  // namespace skald::imp
