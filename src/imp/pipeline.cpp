// SPDX-License-Identifier: Apache-2.0
#include "imp/pipeline.h"

#include "core/edit/spaces.h"
#include "imp/verify/verify.h"

namespace skald::imp {

Result<Program> make_cpu_code(const core::Program& prog, const LowerOptions& lowering,
                              const PassOptions& passes) {
  if (core::highest_space(prog) != core::Space::kHost)
    return Failure("the program has arrays on a device, and cannot run on the cpu");
  Program code = lower(prog, lowering);
  if (passes.verify) verify_or_bug(code, "lowering to imp");
  std::vector<std::string_view> names = pipeline_for(Target::kCpu);
  // Behind `vectorise`, which knows nothing of rounds that end early.
  if (passes.device.limits_time) names.emplace_back("polls");
  return run_passes(std::move(code), names, passes);
}

Result<Program> make_device_code(const core::Program& prog, const PassOptions& passes,
                                 const LowerOptions& lowering) {
  Result<Program> code = lower_for_device(prog, lowering);
  if (!code) return code;
  if (passes.verify) verify_or_bug(*code, "lowering to imp for a device");
  return run_passes(std::move(*code), pipeline_for(Target::kDevice), passes);
}

}  // namespace skald::imp
