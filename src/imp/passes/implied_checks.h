// SPDX-License-Identifier: Apache-2.0
// Checks of indices that follow from earlier ones.
//
//   check(0 <= x && x < n);                  check(0 <= x && x < n);
//   i64 q = mod_i64(x + 1, n);               i64 q = mod_i64(x + 1, n);
//   check(0 <= q && q < n);           →
//   i64 h = div_i64(x, 2);                   i64 h = div_i64(x, 2);
//   check(0 <= h && h < n);
//
// Something is below n and not negative, so n is positive, and remainders by it are indices; and
// what was divided by a positive number is nearer to zero.  In core, where statements move, a value
// would have to remember which check made it safe; here they stay where they are.
#pragma once

#include "imp/ir/imp.h"

namespace skald::imp {

void remove_implied_checks(Program& prog);

}  // namespace skald::imp
