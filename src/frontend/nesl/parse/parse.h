// SPDX-License-Identifier: Apache-2.0
// Reads a NESL file.  Operators have the powers of NESL 3.1; whatever has no meaning between two
// operands applies the left one to the right one.
#pragma once

#include "frontend/nesl/ast/ast.h"
#include "source/diagnostic.h"

namespace skald::nesl {

// Forms with mistakes are left out; the diagnostics say why.
SourceProgram parse_program(source::FileId file, const source::SourceMap& sources,
                            source::Diagnostics& diagnostics);

}  // namespace skald::nesl
