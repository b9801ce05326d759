// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/clike/dialect.h"

namespace skald::opencl {

// OpenCL C 1.2 with 64-bit atomics.
extern const clike::Dialect kDialect;

}  // namespace skald::opencl
