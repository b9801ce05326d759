// SPDX-License-Identifier: Apache-2.0
// The opencl back end: core → kernels → memory → imp for a device → OpenCL C and bytecode.
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "codegen/clike/device_program.h"
#include "codegen/opencl/dialect.h"
#include "driver/backends.h"
#include "driver/compiled_run.h"
#include "imp/pipeline.h"
#include "runtime/context.h"
#include "runtime/executor/executor.h"
#include "runtime/opencl/opencl_device.h"

namespace skald::driver {

using runtime::Value;

namespace {

class OpenClBackend : public Backend {
 public:
  OpenClBackend(clike::CompiledProgram code, core::LocTable locs,
                std::vector<core::TuningParam> params, std::unique_ptr<runtime::Device> device)
      : code_(std::move(code)),
        locs_(std::move(locs)),
        params_(std::move(params)),
        device_(std::move(device)) {}

  std::vector<core::TuningParam> params() const override { return params_; }

  Result<std::vector<Value>, RunFailure> run(const core::Function& entry,
                                             std::vector<Value> args) override {
    Result<std::vector<Value>> all = with_sizes(entry, std::move(args));
    if (!all) return Failure(RunFailure{"Error: " + all.error()});
    // Arguments are copied to the device, so the program may update them.
    SkaldContext context;
    return run_on_slots(entry, *all,
                        [&](const int64_t* in, int64_t* out) -> std::optional<std::string> {
                          int32_t status = 0;
                          {
                            runtime::Executor executor(code_.program, *device_, context);
                            status = executor.run(entry.entry->name, in, out);
                          }
                          if (status == 0) return std::nullopt;
                          if (!context.errors.error() && !device_->problem().empty())
                            return "Error: " + device_->problem();
                          return failure_text(context, code_.failures, locs_);
                        });
  }

 private:
  clike::CompiledProgram code_;
  core::LocTable locs_;
  std::vector<core::TuningParam> params_;
  std::unique_ptr<runtime::Device> device_;
};

}  // namespace

// Looks in a process of its own: drivers start threads, and who asks may want to fork later.
bool has_opencl(std::string& why_not) {
  int ends[2];
  if (::pipe(ends) != 0) return true;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    const Result<std::string> found = runtime::find_opencl_device();
    const std::string text = found ? std::string() : found.error();
    const bool written = ::write(ends[1], text.data(), text.size()) >= 0;
    ::_exit(found && written ? 0 : 1);
  }
  ::close(ends[1]);
  std::array<char, 1024> buffer{};
  for (ssize_t n = 0; (n = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    why_not.append(buffer.data(), static_cast<size_t>(n));
  ::close(ends[0]);
  int status = 1;
  if (child > 0) ::waitpid(child, &status, 0);
  if (status == 0) return true;
  if (why_not.empty()) why_not = "the OpenCL driver of this machine does not work";
  return false;
}

Result<imp::Program> lower_to_device(const core::Program& prog, const passes::PassOptions& options,
                                     std::vector<core::TuningParam>* params,
                                     std::vector<std::string>* notes) {
  passes::PassOptions for_gpu = options;
  for_gpu.device = passes::kGpu;
  Result<core::Program> lowered =
      passes::run_passes(copy_of(prog), passes::pipeline_to(core::Stage::kMemory), for_gpu);
  if (!lowered) return lowered.failure();
  if (params != nullptr) *params = core::tuning_params(*lowered);
  return imp::make_device_code(*lowered, options.with_device(imp::Device{}), notes);
}

Result<std::unique_ptr<Backend>> make_opencl_backend(const core::Program& prog,
                                                     const BackendOptions& options) {
  std::vector<core::TuningParam> params;
  std::vector<std::string> notes;
  Result<imp::Program> code = lower_to_device(prog, options.passes, &params, &notes);
  if (!code) return code.failure();
  if (options.on_note)
    for (const std::string& note : notes) options.on_note(note);
  clike::CompiledProgram compiled = clike::compile(*code, opencl::kDialect, options.tuning);
  Result<std::unique_ptr<runtime::Device>> device = runtime::make_opencl_device(compiled.program);
  if (!device) return device.failure();
  std::unique_ptr<Backend> backend = std::make_unique<OpenClBackend>(
      std::move(compiled), code->locs, std::move(params), std::move(*device));
  return backend;
}

}  // namespace skald::driver
