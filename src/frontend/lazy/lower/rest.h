// SPDX-License-Identifier: Apache-2.0
// What is not written of an array that is changed in part, as the border of a field: the slabs
// around the part.
#pragma once

#include <vector>

#include "core/edit/builder.h"

namespace skald::lazy {

using Slab = std::vector<core::DimSlice>;

// The slabs around a box of an array of this shape.
std::vector<Slab> slabs_around(core::Builder& b, const std::vector<core::Operand>& shape,
                               const Slab& box);

// `into`, with these slabs taken from `old`, by one kernel.  On devices a kernel for each of them
// would take as long as starting it.
core::Name with_slabs(core::Program& prog, core::Builder& b, const core::Type& type, core::Name old,
                      core::Name into, const std::vector<Slab>& slabs);

}  // namespace skald::lazy
