// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/options.h"
#include "passes/pass.h"

namespace skald::driver {

// What the cpu back end does besides passes; `--disable` and `--explain` know it too.
struct BackendPart {
  std::string_view name, description;
};
const std::vector<BackendPart>& backend_parts();

// --verify, --disable and --limit for the pass runner.  Fails for unknown passes and bad numbers.
Result<passes::PassOptions> make_pass_options(const CompileOptions& options);

// --stage and --device of commands that run programs.  Fails for a back end that they mean nothing
// to.
Result<Unit> choose_stage(const InterpretAt& chosen, const compile::Backend& backend,
                          compile::ProgramOptions& options);

}  // namespace skald::driver
