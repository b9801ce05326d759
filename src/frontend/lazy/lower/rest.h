// SPDX-License-Identifier: Apache-2.0
// What is not written of an array that is changed in part, as the border of a field: the slabs
// around the part.
#pragma once

#include <functional>
#include <vector>

#include "frontend/lazy/lower/lowering.h"

namespace skald::lazy {

using Slab = std::vector<core::DimSlice>;

// The slabs around a box of an array of this shape.
std::vector<Slab> slabs_around(core::Builder& b, const std::vector<core::Operand>& shape,
                               const Slab& box);

// `into`, with what `value` gives in these slabs, by one kernel.  On devices a kernel for each of
// them would take as long as starting it.
using ValueAt = std::function<core::Operand(Scope& scope, const std::vector<core::Operand>& at)>;
core::Name with_slabs(Scope& top, const core::Type& type, core::Name into,
                      const std::vector<Slab>& slabs, const ValueAt& value);

}  // namespace skald::lazy
