// SPDX-License-Identifier: Apache-2.0
// NESL as a front end; docs/nesl.md describes the language.
#pragma once

#include "frontend/frontend.h"

namespace skald::nesl {

extern const frontend::Frontend kFrontend;

}  // namespace skald::nesl
