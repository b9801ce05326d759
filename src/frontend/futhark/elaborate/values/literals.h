// SPDX-License-Identifier: Apache-2.0
// Numbers and truth values as written, brought to the type the checker found.
#pragma once

#include "frontend/futhark/elaborate/values/values.h"

namespace skald::futhark::elab {

ValuePtr literal(const Literal& lit, Prim prim);

}  // namespace skald::futhark::elab
