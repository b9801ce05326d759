// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/kernel/strategy.h"

#include <fmt/format.h>

#include "imp/lower/kernel/point_cost.h"

namespace skald::imp {

namespace {

// Each line once: several pieces of code for one kernel are often written alike.
void say(KernelWriter& kernel, const std::string& what) {
  FunctionLowering& fn = kernel.fn;
  if (!fn.options.explain_lowering) return;
  const std::string line =
      fmt::format("lowering: {}: {}", fn.prog.names.text(kernel.stmt.pat[0].name), what);
  if (fn.explained.insert(line).second) fn.options.explain_lowering(line);
}

}  // namespace

void explain_taken(KernelWriter& kernel, std::string_view name) {
  if (!kernel.fn.options.explain_lowering) return;
  say(kernel, point_cost_text(point_cost(kernel.facts)));
  say(kernel, std::string(name));
}

void explain_refused(KernelWriter& kernel, std::string_view name, const std::string& why) {
  say(kernel, fmt::format("not {}: {}", name, why));
}

WhyNot disabled(const KernelWriter& kernel, std::string_view name) {
  if (!kernel.fn.options.disabled.contains(std::string(name))) return std::nullopt;
  return "it is disabled";
}

}  // namespace skald::imp
