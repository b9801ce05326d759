// SPDX-License-Identifier: Apache-2.0
// The built-in module `intrinsics`, the built-in operators and the primitive types.
#pragma once

#include "frontend/futhark/check/base/context.h"

namespace skald::futhark {

// The environment around the prelude.
ScopePtr intrinsics_scope(Context& ctx);

}  // namespace skald::futhark
