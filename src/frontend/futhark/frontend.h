// SPDX-License-Identifier: Apache-2.0
// Futhark as a front end of the library.
#pragma once

#include "frontend/frontend.h"

namespace skald::futhark {

extern const frontend::Frontend kFrontend;

}  // namespace skald::futhark
