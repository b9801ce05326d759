// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/script/eval.h"

namespace skald::driver {

// Brings a script's value to a type: equal types stay, numbers without suffix are converted if they
// fit.  False if it cannot be done; the value is then in an unspecified state.
bool convert(ScriptEvaluator::Value& value, const Layout& wanted);

}  // namespace skald::driver
