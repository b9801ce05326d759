// SPDX-License-Identifier: Apache-2.0
// Expressions without bodies.  They bind no names, so that a copy needs no new ones.
#pragma once

#include "core/ir/program.h"

namespace skald::core {

bool holds_code(const Exp& exp);
// Of an expression without code only; for others there is copy_with_fresh_names
// (core/edit/rename.h).
Exp plain_copy(const Exp& exp);

}  // namespace skald::core
