// SPDX-License-Identifier: Apache-2.0
// What --disable=simd and --explain=simd mean for the cpu back end.
#pragma once

#include "codegen/cpu/compile.h"
#include "passes/pass.h"

namespace skald::driver {

cpu::CompileOptions cpu_options(const passes::PassOptions& options);

}  // namespace skald::driver
