// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skald {

// What the linker wrote into the executable or library that holds this function: a hash of it.
// Caches name what they keep by it.  Empty: the linker wrote nothing.
std::string build_id();

}  // namespace skald
