// SPDX-License-Identifier: Apache-2.0
// The elaborator: annotated AST → core, stage SOACS.
//
// One walk does what other compilers do in four passes: it evaluates modules and functions at
// compile time and emits core for the rest.  Static values (closures, modules, parametric modules)
// live in the elaborator's environment and never reach core; types are substituted as polymorphic
// functions are specialised; tuples and records become several core values, sums a tag and shared
// payload slots.  Specialisations are cached, so a function used twice at the same types and
// closures becomes one core function.
#pragma once

#include "core/ir/program.h"
#include "frontend/futhark/check/check.h"

namespace skald::futhark {

struct ElaborateOptions {
  // Ignore #[unsafe].
  bool safe = false;
  // Further entry points by name, besides `entry` definitions and main.
  std::vector<std::string> entry_points = {};
};

// The program has only what its entry points need.  Fails with limitations in `diagnostics` only;
// for every program the checker accepts that is to say hardly ever.
bool elaborate(const CheckedProgram& checked, const source::SourceMap& sources,
               source::Diagnostics& diagnostics, const ElaborateOptions& options,
               core::Program& out);

}  // namespace skald::futhark
