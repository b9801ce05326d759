// SPDX-License-Identifier: Apache-2.0
// What --disable=STRATEGY, --explain=lowering, --explain=hist, --annotate (explained: "places") and
// --param=hist.… mean for lowering.
#pragma once

#include "imp/lower/lower.h"
#include "passes/pass.h"

namespace skald::compile {

inline imp::LowerOptions strategy_options(const passes::PassOptions& options) {
  imp::LowerOptions result;
  result.disabled.insert(options.disabled.begin(), options.disabled.end());
  if (options.explained.contains("lowering")) result.explain_lowering = options.on_explain;
  if (options.explained.contains("hist")) result.explain_hist = options.on_explain;
  result.hist = machine::hist_numbers(options.numbers);
  result.loop_places = options.explained.contains("places");
  return result;
}

}  // namespace skald::compile
