// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/backend/backend.h"

namespace skald::compile {

extern const Backend kCudaBackend;

}  // namespace skald::compile
