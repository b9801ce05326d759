// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/clike/dialect.h"

namespace skald::cuda {

// CUDA C++ for NVRTC, which has no headers.
extern const clike::Dialect kDialect;

}  // namespace skald::cuda
