// SPDX-License-Identifier: Apache-2.0
// What lies below core: imp, LLVM IR and assembly, as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/program.h"
#include "imp/ir/imp.h"
#include "passes/pass.h"
#include "support/result.h"

namespace skald::driver {

// `prog` is at stage MEMORY.
Result<imp::Program> imp_for(const core::Program& prog, imp::Target target,
                             const passes::PassOptions& passes);

// The same as text.  `emit` is "" (imp for the target), "ll" or "asm", which need the cpu
// back end, "device-imp" (imp for a device) or "cl" (its kernels in OpenCL C).
Result<std::string> dump_below_core(const core::Program& prog, imp::Target target,
                                    const std::string& emit, const passes::PassOptions& passes);

// The same for an imp program given as text, after the passes of imp that are named.
Result<std::string> dump_imp_text(std::string_view text, const std::string& emit,
                                  const std::vector<std::string>& names,
                                  const passes::PassOptions& passes);

// Only in builds with SKALD_CPU (cpu_dump.cpp).  `form` is "ll" or "asm".
Result<std::string> emit_native(const imp::Program& prog, const std::string& form,
                                const passes::PassOptions& passes = {});

}  // namespace skald::driver
