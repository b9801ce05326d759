// SPDX-License-Identifier: Apache-2.0
// Blocks that are written but never read.
//
//   heap a = alloc(…);                                     heap a = alloc(…);
//   heap b = alloc(…);
//   for (…) {                                              for (…) {
//     x = add_i32(x, y); y = …;                              x = add_i32(x, y); y = …;
//     z = mul_i32(z, y);                              →
//     a[i] = x; b[i] = z;                                    a[i] = x;
//   }                                                      }
//   free(b); return a;                                     return a;
//
// An operator on several values, such as the product of matrices, gives all of them although the
// program may want one only; that cannot be seen before the operator has become a sequence.
#pragma once

#include "imp/ir/imp.h"

namespace skald::imp {

// In functions that have such a heap block: removes it, and everything that was computed for it
// alone.
void remove_unread(Program& prog);
// The same for blocks of any kind in one function.
void remove_unread_blocks(Function& fn);

}  // namespace skald::imp
