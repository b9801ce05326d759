// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/kernel/strategy.h"

#include <fmt/format.h>

#include "imp/lower/kernel/hist_notes.h"
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

// Tables for devices have ways for other kernels, too.
bool makes_histograms(std::string_view name) {
  return name.starts_with("hist/") || name.ends_with("-bins");
}

}  // namespace

void explain_taken(KernelWriter& kernel, std::string_view name) {
  explain_hist(kernel, std::string(name));
  if (!kernel.fn.options.explain_lowering) return;
  say(kernel, point_cost_text(point_cost(kernel.facts)));
  say(kernel, std::string(name));
}

void explain_refused(KernelWriter& kernel, std::string_view name, const std::string& why) {
  const std::string line = fmt::format("not {}: {}", name, why);
  if (makes_histograms(name)) explain_hist(kernel, line);
  say(kernel, line);
}

WhyNot disabled(const KernelWriter& kernel, std::string_view name) {
  if (!kernel.fn.options.disabled.contains(std::string(name))) return std::nullopt;
  return "it is disabled";
}

}  // namespace skald::imp
