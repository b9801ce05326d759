// SPDX-License-Identifier: Apache-2.0
// Values that cross branches, loops and calls: a regular value is one array, an irregular one is
// three values — how much data there is, where each instance's part begins, and the data.
#pragma once

#include <vector>

#include "passes/lift/batch/lifting.h"

namespace skald::passes::lift {

// How each of the parameters is stored.  Sizes among the parameters differ from instance to
// instance, so all parameters are made known to the batch before a type is looked at.
std::vector<Form> forms_of(Batch& b, const std::vector<core::Param>& params);
// The parameters that hold the state; `width`: of the batch.
std::vector<core::Param> state_pattern(Lifting& lifting, Batch& b,
                                       const std::vector<core::Param>& params,
                                       const core::Operand& width);
// The operands that hold it.
std::vector<core::Operand> state_values(Lifting& lifting, Batch& b,
                                        const std::vector<core::Operand>& values,
                                        const std::vector<core::Type>& types,
                                        const std::vector<Form>& forms);
// From now on the parameters are what these names hold.
std::vector<Form> bind_state(Lifting& lifting, Batch& b, const std::vector<core::Param>& params,
                             const std::vector<core::Name>& names);

std::vector<core::Type> types_of(const std::vector<core::Param>& params);
std::vector<core::Name> names_of(const std::vector<core::Param>& params);

// A body as code of the host for all instances of the batch; its results are the state of `types`.
core::Body lifted_state(Lifting& lifting, Batch& b, const core::Body& body,
                        const std::vector<core::Type>& types, const std::vector<Form>& forms);

}  // namespace skald::passes::lift
