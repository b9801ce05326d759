// SPDX-License-Identifier: Apache-2.0
// imp text as the cpu back end gets it: with the marks of `vectorise` for this machine.
#pragma once

#include <string_view>

#include "codegen/cpu/compile.h"
#include "imp/passes/pass.h"
#include "imp/text/parse.h"

namespace skald {

inline Result<imp::Program> in_lanes(std::string_view text,
                                     const cpu::CompileOptions& options = {}) {
  Result<imp::Program> prog = imp::parse(text);
  if (!prog) return prog;
  const imp::Device device{.registers = cpu::vector_registers(options)};
  return imp::run_passes(std::move(*prog), {"vectorise"}, {.device = device});
}

}  // namespace skald
