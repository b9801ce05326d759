// SPDX-License-Identifier: Apache-2.0
#include "printer/printer.h"

#include "core/edit/rename.h"
#include "core/text/print.h"

namespace skald::printer {

namespace {

using compile::EngineOptions;
using compile::RunFailure;
using runtime::Value;

class Printer : public compile::Executable {
 public:
  explicit Printer(std::string text) : text_(std::move(text)) {}

  Result<std::vector<Value>, RunFailure> call(const core::Function&, std::vector<Value>) override {
    printed() += text_;
    return Failure(RunFailure{"the printer computes nothing", {}, RunFailure::kDevice});
  }
  std::vector<core::TuningParam> params() const override { return {}; }

 private:
  std::string text_;
};

class PrinterEngine : public compile::Engine {
 public:
  using Engine::Engine;

  Result<std::unique_ptr<compile::Executable>> compile(
      const core::Program& prog, const compile::ProgramOptions& options) override {
    const Result<core::Program> kernels = passes::run_passes(
        core::clone(prog), passes::pipeline_to(core::Stage::kKernels), options.passes);
    if (!kernels) return kernels.failure();
    return std::unique_ptr<compile::Executable>(
        std::make_unique<Printer>(core::print(*kernels, {})));
  }
};

bool is_available(std::string&) {
  return true;
}

Result<std::shared_ptr<compile::Engine>> open(const EngineOptions& options) {
  return std::shared_ptr<compile::Engine>(std::make_shared<PrinterEngine>(options));
}

}  // namespace

std::string& printed() {
  static std::string text;
  return text;
}

const compile::Backend kBackend = {.name = "printer", .is_available = is_available, .open = open};

}  // namespace skald::printer
