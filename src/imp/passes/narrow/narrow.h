// SPDX-License-Identifier: Apache-2.0
// A step of the pass `narrow`.
#pragma once

#include "imp/analysis/facts.h"
#include "imp/ir/imp.h"
#include "imp/passes/pass.h"

namespace skald::imp {

// Of the stores in the body of the loop, makes those conditional that sometimes store what is
// there.
void remove_self_stores(For& loop, const Facts& facts, PassContext& ctx);

}  // namespace skald::imp
