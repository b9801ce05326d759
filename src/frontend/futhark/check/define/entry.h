// SPDX-License-Identifier: Apache-2.0
// Restrictions on entry points.
#pragma once

#include "frontend/futhark/check/base/context.h"

namespace skald::futhark {

void check_entry(Context& ctx, const DVal& def, const ValEntry& entry);

}  // namespace skald::futhark
