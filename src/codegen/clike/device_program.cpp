// SPDX-License-Identifier: Apache-2.0
#include "codegen/clike/device_program.h"

#include "codegen/clike/failure_bytes.h"
#include "codegen/clike/host_code.h"
#include "runtime/executor/program_bytes.h"
#include "support/bytes.h"

namespace skald::clike {

CompiledProgram compile(const imp::Program& prog, const Dialect& dialect,
                        const core::Tuning& tuning, Places places) {
  CompiledProgram out;
  ProgramText text{prog, tuning, places};
  std::unordered_map<std::string, int32_t> numbers;
  for (const imp::Function& fn : prog.functions) {
    if (fn.kind == imp::FunctionKind::kHost)
      numbers.emplace(fn.name, static_cast<int32_t>(numbers.size()));
    else
      text.add_function(fn);
  }
  for (const imp::Function& fn : prog.functions) {
    if (fn.kind != imp::FunctionKind::kHost) continue;
    runtime::FunctionCode code = HostCode(text, out.program, numbers).function(fn);
    out.program.functions.push_back(std::move(code));
    if (fn.entry) out.program.entries.push_back({*fn.entry, numbers.at(fn.name)});
  }
  out.program.kernels = text.texts(dialect);
  out.failures = std::move(text.failures);
  return out;
}

std::string to_bytes(const CompiledProgram& program) {
  ByteWriter out;
  out.text(runtime::to_bytes(program.program));
  write_failures(out, program.failures);
  return out.take();
}

Result<CompiledProgram> compiled_program_from_bytes(std::string_view bytes) {
  ByteReader in(bytes);
  Result<runtime::DeviceProgram> program = runtime::device_program_from_bytes(in.text());
  if (!program) return program.failure();
  CompiledProgram compiled{std::move(*program), read_failures(in)};
  if (!in.done()) return Failure("not a device program");
  return compiled;
}

}  // namespace skald::clike
