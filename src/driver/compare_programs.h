// SPDX-License-Identifier: Apache-2.0
// Do two core programs compute the same?  Tried by the interpreter on random data.
#pragma once

#include <optional>
#include <string>

#include "core/ir/program.h"

namespace skald::driver {

// Interprets every function that both programs have on a few random arguments; says where they
// differ. Functions whose parameters are not scalars and arrays are left out.
std::optional<std::string> compare_on_random_data(const core::Program& a, const core::Program& b);

}  // namespace skald::driver
