// SPDX-License-Identifier: Apache-2.0
// The text form of core as a front end: for tests, bug reports, and front ends outside this tree.
#pragma once

#include "frontend/frontend.h"

namespace skald::core {

extern const frontend::Frontend kFrontend;

}  // namespace skald::core
