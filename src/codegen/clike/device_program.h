// SPDX-License-Identifier: Apache-2.0
// imp for a device → the text of its kernels and bytecode for the host.
//
//   dialect.h       what differs between C dialects
//   helpers.cpp     functions that kernels call, as text
//   scalar_text.cpp scalar expressions
//   kernel_text.cpp, kernel_memory.cpp, kernel_atomics.cpp  launches and device functions
//   host_code.cpp   host functions
//   host_operators.cpp  their scalar operators
//   failure.cpp     messages
//
// Read next: runtime/executor/bytecode.h (what comes out).
#pragma once

#include "codegen/clike/dialect.h"
#include "codegen/clike/failure.h"
#include "core/tuning/tuning.h"
#include "imp/ir/imp.h"
#include "runtime/executor/bytecode.h"
#include "support/result.h"

namespace skald::clike {

struct CompiledProgram {
  runtime::DeviceProgram program;
  std::vector<FailureMessage> failures;
};

// `prog` is what imp::lower_for_device made, or the like, and satisfies imp::verify.
// Tuning parameters get their numbers here.  Where places are shown, comments in the text of
// kernels say where launches and loops are in the source, if the program knows.
CompiledProgram compile(const imp::Program& prog, const Dialect& dialect,
                        const core::Tuning& tuning = {}, Places places = Places::kHidden);

// As bytes, for caches; reading fails for bytes of another version or no program at all.
std::string to_bytes(const CompiledProgram& program);
Result<CompiledProgram> compiled_program_from_bytes(std::string_view bytes);

}  // namespace skald::clike
