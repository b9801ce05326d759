// SPDX-License-Identifier: Apache-2.0
// Text → AST, for the whole grammar.
#pragma once

#include <string>

#include "frontend/futhark/ast.h"
#include "source/diagnostic.h"

namespace skald::futhark {

// Always returns a program; what could not be understood is left out and reported.  The parser
// recovers at declarations (and inside brackets), so one run reports several mistakes.  Nesting
// deeper than kMaxDepth is reported, never a stack overflow.
Program parse_program(source::FileId file, const source::SourceMap& sources,
                      source::Diagnostics& diagnostics);

inline constexpr int kMaxDepth = 1000;

}  // namespace skald::futhark
