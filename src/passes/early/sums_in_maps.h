// SPDX-License-Identifier: Apache-2.0
// What products of matrices look like: maps around sums.
#pragma once

#include <vector>

#include "core/ir/program.h"

namespace skald::passes {

// Does the code hold maps around sums that are long, as far as is known?  `only_maps` becomes false
// if it holds anything else that runs in rounds.
bool holds_sums(const core::Body& body, bool& only_maps);

// Is an array of that type, as far as is known here, no larger than one of the others?
bool fits_one_of(const core::Type& type, const std::vector<core::Type>& others);

}  // namespace skald::passes
