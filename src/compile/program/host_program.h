// SPDX-License-Identifier: Apache-2.0
// A compiled program that is called with values on the host: for tests, scripts and comparisons.
#pragma once

#include <memory>
#include <vector>

#include "compile/backend/backend.h"

namespace skald::compile {

class HostProgram {
 public:
  HostProgram(std::shared_ptr<Engine> engine, std::unique_ptr<Executable> executable)
      : engine_(std::move(engine)), executable_(std::move(executable)) {}

  // On an engine of its own.  `prog` is at stage SOACS and must outlive the result.
  static Result<std::unique_ptr<HostProgram>> make(const Backend& backend,
                                                   const core::Program& prog,
                                                   const EngineOptions& engine_options,
                                                   const ProgramOptions& options);

  // Copies arguments to the engine's memory and results back, where that is another one.
  Result<std::vector<runtime::Value>, RunFailure> run(const core::Function& entry,
                                                      std::vector<runtime::Value> args) {
    return call_with_host_values(*engine_, *executable_, entry, std::move(args));
  }
  Executable& executable() { return *executable_; }

 private:
  std::shared_ptr<Engine> engine_;
  std::unique_ptr<Executable> executable_;
};

}  // namespace skald::compile
