// SPDX-License-Identifier: Apache-2.0
// What --disable=simd and --explain=simd mean for the cpu back end.  --disable=simd512 leaves out
// the registers of 512 bits, --disable=simd256 all others, --disable=avx512 whatever AVX-512 has.
#pragma once

#include "codegen/cpu/compile.h"
#include "imp/pipeline.h"
#include "passes/pass.h"

namespace skald::driver {

cpu::CompileOptions cpu_options(const passes::PassOptions& options);
// The same for --explain=order and for what this machine can do.
imp::LowerOptions lower_options(const passes::PassOptions& options);
// Core at stage MEMORY → what the cpu back end compiles.
Result<imp::Program> cpu_imp(const core::Program& prog, const passes::PassOptions& options);

}  // namespace skald::driver
