// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/compile.h"
#include "driver/below_core.h"

namespace skald::driver {

Result<std::string> emit_native(const imp::Program& prog, const std::string& form) {
  return form == "ll" ? cpu::emit_llvm(prog) : cpu::emit_assembly(prog);
}

}  // namespace skald::driver
