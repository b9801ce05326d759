// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/program.h"

namespace skald::passes {

// Small arrays inside the functions of SOACs, whose elements are all known by name, are read and
// updated as those names; see small_arrays.cpp.
void scalarise_small_arrays(core::Body& host);

}  // namespace skald::passes
