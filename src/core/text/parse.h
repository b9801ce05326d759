// SPDX-License-Identifier: Apache-2.0
// Text → core IR, for golden tests, bug reports and `skald dump FILE.core`.
#pragma once

#include <string_view>

#include "core/ir/program.h"
#include "source/diagnostic.h"

namespace skald::core {

// Fails with one diagnostic (code "core-syntax") at the place that could not be read.  The result
// is syntactically right but not verified.
Result<Program, source::Diagnostic> parse(source::FileId file, const source::SourceMap& sources);

}  // namespace skald::core
