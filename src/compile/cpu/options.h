// SPDX-License-Identifier: Apache-2.0
// What options mean for the cpu back end: --disable=simd512 leaves out the registers of 512 bits,
// --disable=simd256 all others, --disable=avx512 whatever AVX-512 has.
#pragma once

#include "codegen/cpu/compile.h"
#include "compile/backend/object_code.h"
#include "imp/pipeline.h"
#include "passes/pass.h"

namespace skald::compile {

cpu::CompileOptions cpu_options(const passes::PassOptions& options);
// The same for --explain=order and for what this machine can do.
imp::LowerOptions lower_options(const passes::PassOptions& options);

// Stage MEMORY → imp for this machine.
Result<imp::Program> lower_for_cpu(const core::Program& prog, const passes::PassOptions& options);
// The same for runs that may have to end before they are done.
Result<imp::Program> lower_with_polls(const core::Program& prog,
                                      const passes::PassOptions& options);

Result<std::string> emit_llvm(const imp::Program& prog, const passes::PassOptions& options);
Result<std::string> emit_assembly(const imp::Program& prog, const passes::PassOptions& options);
Result<ObjectCode> make_object(const core::Program& prog, const passes::PassOptions& options,
                               const std::string& symbols);

}  // namespace skald::compile
