// SPDX-License-Identifier: Apache-2.0
// Run-time errors as diagnostics: the place in the source, and who called.
#pragma once

#include "compile/backend/run_failure.h"
#include "source/diagnostic.h"

namespace skald::compile {

// Reads the files that the back trace names, if `sources` does not have them.  Places that cannot
// be read are in the text only.
source::Diagnostic diagnose(const RunFailure& failure, source::SourceMap& sources);

}  // namespace skald::compile
