// SPDX-License-Identifier: Apache-2.0
// The whole way through imp: core at stage MEMORY is lowered for a target and goes through the
// passes of that target.  Back ends begin here.
#pragma once

#include "core/ir/program.h"
#include "imp/ir/imp.h"
#include "imp/lower/lower.h"
#include "imp/passes/pass.h"
#include "support/result.h"

namespace skald::imp {

// Both verify after lowering and after every pass if the options say so, and stop after the pass
// that they name.  They fail only for what the user asked for.
Result<Program> make_cpu_code(const core::Program& prog, const LowerOptions& lowering,
                              const PassOptions& passes);
Result<Program> make_device_code(const core::Program& prog, const PassOptions& passes,
                                 const LowerOptions& lowering = {});

}  // namespace skald::imp
