// SPDX-License-Identifier: Apache-2.0
// Calls that end at once are done where they stand.
//
// Half of the calls of a function that calls itself twice, and more if it does so more often, are
// the last ones: they ask one question and give what they have.  So there is a second version of
// `self` (recursion.h), which becomes part of the code that calls it:
//
//   at_once(environment, others…)    the statements up to the question; if the answer is that
//   nothing
//                                    more is called, the results, else self(environment, others…)
#pragma once

#include "codegen/cpu/emit/function_emitter.h"

namespace skald::cpu {

// Is there such a way through the function, and is it short?
bool has_short_way(const imp::Function& fn);
// Writes `recursion.at_once`.
void emit_short_call(ModuleEmitter& module, const imp::Function& fn, const Recursion& recursion);

}  // namespace skald::cpu
