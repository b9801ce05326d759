// SPDX-License-Identifier: Apache-2.0
// From a checked program to core.
//
// Every form that has a value becomes an entry point "form 1", "form 2", … .  Its parameters are
// values of earlier forms, by their names "value N" (N is the number of a global); its results are
// the text to print, then the values that it names.
#pragma once

#include "core/ir/program.h"
#include "frontend/nesl/check/checked.h"
#include "source/diagnostic.h"

namespace skald::nesl {

// False after a mistake, which is in the diagnostics.
bool elaborate(CheckedProgram& checked, const source::SourceMap& sources,
               source::Diagnostics& diagnostics, core::Program& core);

}  // namespace skald::nesl
