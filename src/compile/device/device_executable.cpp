// SPDX-License-Identifier: Apache-2.0
#include "compile/device/device_executable.h"

#include "codegen/clike/host_operators.h"
#include "compile/backend/compiled_run.h"
#include "compile/backend/entry_values.h"
#include "compile/backend/image_bytes.h"
#include "runtime/context.h"
#include "runtime/device/transfer.h"
#include "runtime/executor/executor.h"

namespace skald::compile {

using runtime::Value;

namespace {

class DeviceExecutable : public Executable {
 public:
  DeviceExecutable(DeviceImage image, std::unique_ptr<runtime::LoadedProgram> program,
                   const DeviceHost& host, std::string bytes)
      : failures_(std::move(image.code.failures)),
        places_(std::move(image.places)),
        params_(std::move(image.params)),
        program_(std::move(program)),
        host_(host),
        bytes_(std::move(bytes)) {}

  std::vector<core::TuningParam> params() const override { return params_; }
  std::string image() override { return std::exchange(bytes_, {}); }

  Result<std::vector<Value>, RunFailure> call(const core::Function& entry,
                                              std::vector<Value> args) override {
    if (Result<Unit> owned = host_.engine.own_unique(entry, args); !owned)
      return Failure(RunFailure::without_memory(owned.error()));
    const Result<std::vector<Value>> all = with_sizes(entry, std::move(args));
    if (!all) return Failure(RunFailure{all.error(), {}, RunFailure::kArguments});
    SkaldContext context;
    context.budget = host_.engine.budget();
    context.seconds = host_.limits.seconds;
    context.stack_bytes = host_.limits.stack;
    const runtime::Watchdog::Watch watch(host_.dog, context);
    return run_on_slots(
        entry, *all,
        [&](std::span<const int64_t> in, std::span<int64_t> out) -> std::optional<RunFailure> {
          runtime::Executor executor(*program_, context);
          const Result<Unit> done = executor.run(entry.entry->name, in, out);
          if (done) return std::nullopt;
          if (!context.errors.error()) return RunFailure{done.error(), {}, RunFailure::kDevice};
          RunFailure failure = failure_of(context, failures_, places_);
          if (program_->device().is_given_up())
            failure.message += fmt::format(" ({})", program_->device().why_given_up());
          return failure;
        },
        [&](const runtime::Buffer& whole, int64_t bytes) {
          return runtime::first_part_on_device(program_->device(), whole, bytes);
        });
  }

 private:
  std::vector<clike::FailureMessage> failures_;
  std::string places_;
  std::vector<core::TuningParam> params_;
  std::unique_ptr<runtime::LoadedProgram> program_;
  DeviceHost host_;
  std::string bytes_;  // of the image, until somebody asks for it
};

}  // namespace

std::string to_bytes(const DeviceImage& image) {
  ByteWriter out;
  out.text(clike::to_bytes(image.code));
  out.text(image.places);
  write_params(out, image.params);
  return out.take();
}

Result<DeviceImage> device_image_from_bytes(std::string_view bytes) {
  ByteReader in(bytes);
  Result<clike::CompiledProgram> code = clike::compiled_program_from_bytes(in.text());
  if (!code) return code.failure();
  DeviceImage image{.code = std::move(*code), .places = std::string(in.text()), .params = {}};
  image.params = read_params(in);
  if (!in.done()) return Failure("not an image of a program");
  return image;
}

Result<std::unique_ptr<Executable>> make_device_executable(DeviceImage image,
                                                           const DeviceHost& host,
                                                           bool keep_image) {
  std::string bytes = keep_image ? to_bytes(image) : std::string();
  Result<std::unique_ptr<runtime::LoadedProgram>> program = runtime::LoadedProgram::load(
      std::move(image.code.program), host.device, clike::find_host_operator);
  if (!program) return program.failure();
  (*program)->set_collecting(host.graphs);
  return std::unique_ptr<Executable>(std::make_unique<DeviceExecutable>(
      std::move(image), std::move(*program), host, std::move(bytes)));
}

}  // namespace skald::compile
