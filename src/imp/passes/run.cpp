// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "imp/passes/pass.h"
#include "imp/verify/verify.h"

namespace skald::imp {

bool PassInfo::is_for(Target target) const {
  return std::ranges::find(targets, target) != targets.end();
}

const PassInfo* find_pass(std::string_view name) {
  for (const PassInfo& pass : all_passes())
    if (pass.name == name) return &pass;
  return nullptr;
}

Result<Program> run_passes(Program prog, const std::vector<std::string_view>& names,
                           const PassOptions& options) {
  for (const std::string_view name : names) {
    const PassInfo* pass = find_pass(name);
    if (pass == nullptr) return Failure(fmt::format("there is no pass `{}` of imp", name));
    if (options.disabled.contains(std::string(name))) continue;
    if (!pass->is_for(prog.target))
      return Failure(fmt::format("the pass `{}` is not for {}", name, target_name(prog.target)));
    prog = run_pass(name, pass->run, std::move(prog), options.device, options);
    if (options.verify) verify_or_bug(prog, fmt::format("the pass `{}`", name));
    if (name == options.stop_after) break;
  }
  return prog;
}

}  // namespace skald::imp
