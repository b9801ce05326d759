// SPDX-License-Identifier: Apache-2.0
#include "core/verify/verify.h"
#include "passes/pass.h"

namespace skald::passes {

const PassInfo* find_pass(std::string_view name) {
  for (const PassInfo& pass : all_passes())
    if (pass.name == name) return &pass;
  return nullptr;
}

Result<core::Program> run_passes(core::Program prog, const std::vector<std::string_view>& names,
                                 const PassOptions& options) {
  std::string failure;
  PassOptions with_failure = options;
  with_failure.on_failure = [&](const std::string& line) {
    if (failure.empty()) failure = line;
  };
  Device device = options.device;
  choose_numbers(device, options.numbers);
  for (const std::string_view name : names) {
    const PassInfo* pass = find_pass(name);
    if (pass == nullptr) return Failure(fmt::format("there is no pass `{}`", name));
    if (options.disabled.contains(std::string(name))) {
      if (pass->required)
        return Failure(
            fmt::format("the pass `{}` is a lowering step and cannot be left out", name));
      continue;
    }
    const bool lowers = pass->from != pass->to;
    if (lowers ? prog.stage != pass->from : prog.stage < pass->from)
      return Failure(fmt::format("the pass `{}` works on stage {}, but the program is at stage {}",
                                 name, core::stage_name(pass->from), core::stage_name(prog.stage)));
    prog = run_pass(name, pass->run, std::move(prog), device, with_failure);
    if (!failure.empty()) return Failure(failure);
    if (options.verify) core::verify_or_bug(prog, fmt::format("after the pass `{}`", name));
    if (name == options.stop_after) break;
  }
  return prog;
}

}  // namespace skald::passes
