// SPDX-License-Identifier: Apache-2.0
#include "codegen/clike/device_program.h"

#include "codegen/clike/host_code.h"

namespace skald::clike {

CompiledProgram compile(const imp::Program& prog, const Dialect& dialect,
                        const core::Tuning& tuning) {
  CompiledProgram out;
  ProgramText text{prog, tuning};
  std::unordered_map<std::string, int32_t> numbers;
  std::string functions;
  for (const imp::Function& fn : prog.functions) {
    if (fn.kind == imp::FunctionKind::kHost)
      numbers.emplace(fn.name, static_cast<int32_t>(numbers.size()));
    else
      functions += '\n' + KernelText(text).function(fn);
  }
  for (const imp::Function& fn : prog.functions) {
    if (fn.kind != imp::FunctionKind::kHost) continue;
    runtime::FunctionCode code = HostCode(text, out.program, numbers).function(fn);
    out.program.functions.push_back(std::move(code));
    if (fn.entry) out.program.entries.push_back({*fn.entry, numbers.at(fn.name)});
  }
  // Helpers are known only now.
  out.program.source = std::string(dialect.prelude) + std::string(common_helpers()) +
                       text.helpers.text() + functions + out.program.source;
  out.program.uses_f64 = text.uses_f64;
  out.failures = std::move(text.failures);
  return out;
}

}  // namespace skald::clike
