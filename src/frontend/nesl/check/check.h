// SPDX-License-Identifier: Apache-2.0
// Resolves names and infers types.  Functions are generalised; a function is monomorphic in its own
// body.
#pragma once

#include <memory>
#include <string>

#include "frontend/nesl/check/checked.h"
#include "source/diagnostic.h"

namespace skald::nesl {

// Null after a mistake, which is in the diagnostics.
std::unique_ptr<CheckedProgram> check_program(const std::string& path, source::SourceMap& sources,
                                              source::Diagnostics& diagnostics);

}  // namespace skald::nesl
