// SPDX-License-Identifier: Apache-2.0
// Which values do no patterns match?
#pragma once

#include <string>
#include <vector>

#include "frontend/futhark/ast/types.h"

namespace skald::futhark {

// Examples of values that none of the patterns matches, written as patterns; empty if the patterns
// are exhaustive.  The patterns have their types set.
std::vector<std::string> unmatched_cases(const std::vector<const Pat*>& patterns);

}  // namespace skald::futhark
