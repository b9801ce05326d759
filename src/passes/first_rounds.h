// SPDX-License-Identifier: Apache-2.0
// Which loops gain if their first round comes before them (first_rounds.cpp).
#pragma once

#include <functional>

#include "core/ir/program.h"

namespace skald::passes {

// Does it give an array that takes no memory to compute: a range, or one scalar again and again?
bool is_generator(const core::Stmt& stmt);

// Does the loop read single elements of an array that is `generated` in its first round, which is
// the longest one, as its arrays change their lengths?  Not where the code would grow too much.
bool gains_from_first_round(const core::Loop& loop,
                            const std::function<bool(const core::Operand&)>& generated);

}  // namespace skald::passes
