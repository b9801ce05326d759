// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/options.h"
#include "passes/pass.h"

namespace skald::driver {

// --verify, --disable and --limit for the pass runner.  Fails for unknown passes and bad numbers.
Result<passes::PassOptions> make_pass_options(const CompileOptions& options);

}  // namespace skald::driver
