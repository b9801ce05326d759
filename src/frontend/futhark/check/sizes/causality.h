// SPDX-License-Identifier: Apache-2.0
// Causality: a size that is computed by some expression may be needed only after that expression
// has been evaluated.  Values whose type has sizes that nothing inside them shows (empty arrays,
// other constructors' payloads, functions) need their sizes when they are made.
#pragma once

#include "frontend/futhark/check/infer/def_state.h"
#include "frontend/futhark/check/sizes/solve/size_table.h"

namespace skald::futhark {

void check_causality(DefState& d, SizeTable& table, Exp& body);

}  // namespace skald::futhark
