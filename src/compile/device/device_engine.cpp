// SPDX-License-Identifier: Apache-2.0
#include "compile/device/device_engine.h"

#include "codegen/clike/device_program.h"
#include "compile/backend/compiled_run.h"
#include "compile/backend/entry_values.h"
#include "core/edit/rename.h"
#include "imp/pipeline.h"
#include "imp/text/print.h"
#include "runtime/context.h"
#include "runtime/executor/executor.h"

namespace skald::compile {

using runtime::Value;

namespace {

class DeviceExecutable : public Executable {
 public:
  DeviceExecutable(clike::CompiledProgram code, core::LocTable locs,
                   std::vector<core::TuningParam> params, std::unique_ptr<runtime::Device> device)
      : code_(std::move(code)),
        locs_(std::move(locs)),
        params_(std::move(params)),
        device_(std::move(device)) {}

  std::vector<core::TuningParam> params() const override { return params_; }

  Result<std::vector<Value>, RunFailure> call(const core::Function& entry,
                                              std::vector<Value> args) override {
    Result<std::vector<Value>> all = with_sizes(entry, std::move(args));
    if (!all) return Failure(RunFailure{all.error(), {}, RunFailure::kArguments});
    // Arguments are copied to the device, so the program may update them.
    SkaldContext context;
    return run_on_slots(entry, *all,
                        [&](const int64_t* in, int64_t* out) -> std::optional<RunFailure> {
                          int32_t status = 0;
                          {
                            runtime::Executor executor(code_.program, *device_, context);
                            status = executor.run(entry.entry->name, in, out);
                          }
                          if (status == 0) return std::nullopt;
                          if (!context.errors.error() && !device_->problem().empty())
                            return RunFailure{device_->problem(), {}, RunFailure::kDevice};
                          return failure_of(context, code_.failures, locs_);
                        });
  }

 private:
  clike::CompiledProgram code_;
  core::LocTable locs_;
  std::vector<core::TuningParam> params_;
  std::unique_ptr<runtime::Device> device_;
};

class DeviceEngine : public Engine {
 public:
  DeviceEngine(const DeviceDriver& driver, const EngineOptions& options)
      : Engine(options), driver_(driver) {}

  Result<std::unique_ptr<Executable>> compile(const core::Program& prog,
                                              const ProgramOptions& options) override {
    passes::PassOptions for_gpu = options.passes;
    for_gpu.device = passes::kGpu;
    Result<core::Program> lowered =
        passes::run_passes(core::clone(prog), passes::pipeline_to(core::Stage::kMemory), for_gpu);
    if (!lowered) return lowered.failure();
    std::vector<std::string> notes;
    Result<imp::Program> code =
        imp::make_device_code(*lowered, options.passes.with_device(imp::Device{}), &notes);
    if (!code) return code.failure();
    if (options.on_note)
      for (const std::string& note : notes) options.on_note(note);
    clike::CompiledProgram compiled = clike::compile(*code, driver_.dialect, options.tuning);
    Result<std::unique_ptr<runtime::Device>> device = driver_.open(compiled.program);
    if (!device) return device.failure();
    return std::unique_ptr<Executable>(std::make_unique<DeviceExecutable>(
        std::move(compiled), code->locs, core::tuning_params(*lowered), std::move(*device)));
  }

 private:
  const DeviceDriver& driver_;
};

}  // namespace

std::shared_ptr<Engine> make_device_engine(const DeviceDriver& driver,
                                           const EngineOptions& options) {
  return std::make_shared<DeviceEngine>(driver, options);
}

Result<imp::Program> lower_for_device(const core::Program& prog,
                                      const passes::PassOptions& options) {
  return imp::make_device_code(prog, options.with_device(imp::Device{}));
}

Result<std::string> print_imp(const imp::Program& prog, const passes::PassOptions&) {
  return imp::print(prog);
}

std::string kernel_text(const imp::Program& prog, const clike::Dialect& dialect) {
  return clike::compile(prog, dialect).program.source;
}

}  // namespace skald::compile
