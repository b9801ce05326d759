// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/ir/program.h"

namespace skald::core {

// The first of `places` is the failing one, the others are the calls around it, innermost first;
// each is shown with what was inlined there.
std::string backtrace(const LocTable& locs, std::span<const Loc> places);

}  // namespace skald::core
