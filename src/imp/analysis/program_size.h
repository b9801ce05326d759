// SPDX-License-Identifier: Apache-2.0
// How much work it is to compile a program.
#pragma once

#include <cstddef>

#include "imp/ir/imp.h"

namespace skald::imp {

// The statements of a body, and of all functions.
size_t statement_count(const Body& body);
size_t statement_count(const Program& prog);

// Optimising so much code, as only generators write it, would take minutes.
inline constexpr size_t kHugeProgram = 80'000;

}  // namespace skald::imp
