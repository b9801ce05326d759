// SPDX-License-Identifier: Apache-2.0
// Brings code into the form that the rules know.
#pragma once

#include "passes/differentiate/base/session.h"

namespace skald::passes::ad {

// Replaces calls by the bodies of functions, at every depth.  Calls of functions that call
// themselves, and of those that are computed once, stay.
void inline_calls(Session& session, Body& body);

// At every depth: combinators that do one thing.  Afterwards a `soac` is a map, one reduction or
// one scan; the functions of all but maps and flatmaps give back their arguments, in order; `hist`
// has one histogram and `scatter` one destination.
//
// Operators that are maps over rows are operators on elements (see fold_or_turn).
//
//   soac(n, {xs}, f, reduce op)   →   ys = map(n, {xs}, f);  soac(n, {ys}, \y -> y, reduce op)
void split_combinators(Session& session, Body& body);

}  // namespace skald::passes::ad
