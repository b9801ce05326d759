// SPDX-License-Identifier: Apache-2.0
// Operators that choose, such as the larger one of two: bins soon change seldom, so a look at the
// bin is nearly all of an update.
#pragma once

#include <optional>

#include "imp/ir/code.h"

namespace skald::imp {

// Is each component of the result one of the two that were given?
bool picks_components(const core::Operator& op);
// \a b -> is the result b, not a?  Nothing if the operator mixes the components of both, or the
// decision is not found.
std::optional<core::Lambda> choice_of_second(const core::Operator& op, core::NameTable& names);

}  // namespace skald::imp
