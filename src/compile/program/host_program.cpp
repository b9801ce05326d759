// SPDX-License-Identifier: Apache-2.0
#include "compile/program/host_program.h"

namespace skald::compile {

Result<std::unique_ptr<HostProgram>> HostProgram::make(const Backend& backend,
                                                       const core::Program& prog,
                                                       const EngineOptions& engine_options,
                                                       const ProgramOptions& options) {
  Result<std::shared_ptr<Engine>> engine = backend.open(engine_options);
  if (!engine) return engine.failure();
  Result<std::unique_ptr<Executable>> executable = (*engine)->compile(prog, options);
  if (!executable) return executable.failure();
  return std::make_unique<HostProgram>(std::move(*engine), std::move(*executable));
}

}  // namespace skald::compile
