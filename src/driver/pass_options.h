// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/backend.h"
#include "driver/options.h"
#include "passes/pass.h"

namespace skald::driver {

// --verify, --disable and --limit for the pass runner.  Fails for unknown passes and bad numbers.
Result<passes::PassOptions> make_pass_options(const CompileOptions& options);

// --stage and --device of commands that run programs.  Fails for a back end that they mean nothing
// to.
Result<Unit> choose_stage(const InterpretAt& chosen, BackendKind kind, BackendOptions& options);

}  // namespace skald::driver
