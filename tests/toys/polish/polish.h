// SPDX-License-Identifier: Apache-2.0
// A whole front end in one folder: formulas in reverse Polish notation, applied to every element.
//
//   x x * 1 +        is main xs = map (\x -> x * x + 1) xs, on f64
#pragma once

#include "frontend/frontend.h"

namespace skald::polish {

extern const frontend::Frontend kFrontend;

}  // namespace skald::polish
