// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/backend/backend.h"

namespace skald::compile {

// Only in builds with SKALD_CPU.
extern const Backend kCpuBackend;

}  // namespace skald::compile
