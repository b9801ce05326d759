// SPDX-License-Identifier: Apache-2.0
// Loops that have nothing more to do once a variable is false:
//
//   for (j < m) { var and = false; if (ok) { … and = c; } else { and = false; } ok = and; }
//
// `ok && …` in a loop becomes this.  Code generators may leave such a loop when `ok` is false;
// vector code when it is false in all lanes.
#pragma once

#include "imp/ir/imp.h"

namespace skald::imp {

// The variable, declared outside the loop, without which an iteration changes nothing; no name if
// there is none.
Name early_exit(const For& loop);

// The same for `ok = ok and c`, where every iteration computes c: scalar code need not go on when
// ok is false.  Vector code has computed many c at once by then, and does without.
Name known_total(const For& loop);

// The statements at the top of the loop's body of the form `if (v) …` at which v is still what it
// was when the iteration began.
bool is_before_assignment(const For& loop, Name variable, const If& branch);

}  // namespace skald::imp
