// SPDX-License-Identifier: Apache-2.0
// Arrays that get no memory, and what is pending beside them.
#pragma once

#include "common.h"
#include "frontend/lazy/plan.h"

namespace skald::python {

// NumPy's exception for a node whose elements do not fit.
void set_no_memory(const Node* node);

// Refuses outputs of a plan for which there is no memory beside the others.  True: the plan must be
// written again, as they are no outputs any more.
bool refuse_what_does_not_fit(const lazy::PlanWriter& writer, const lazy::Plan& plan);
// The same after a run for which memory did not suffice.  False: nothing more can be refused.
bool refuse_largest(const lazy::PlanWriter& writer);
// Is something refused in the list?
bool is_refusing();
// NumPy may try it.
void forget_refused(const lazy::PlanWriter& writer);
// All else of a plan has run: its refused nodes, if there are any, are given up.  False: there
// were, and an exception is set.
bool give_up_refused(const lazy::PlanWriter& writer);
// A plan failed, and an exception is set: what depends on arrays that were the program's to change
// is given up.  False: all that was in the plan is still as it was.
bool give_up_spoiled(const lazy::PlanWriter& writer, const lazy::Plan& plan);

}  // namespace skald::python
