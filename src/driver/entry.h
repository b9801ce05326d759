// SPDX-License-Identifier: Apache-2.0
// Choosing an entry point, and words about it.
#pragma once

#include <string>

#include "core/ir/program.h"
#include "support/result.h"

namespace skald::driver {

// The entry point of that name; the failure lists those there are.
Result<const core::Function*> find_entry(const core::Program& prog, const std::string& name);

// "1 value", "3 values".
std::string count_text(size_t count, std::string_view noun);

}  // namespace skald::driver
