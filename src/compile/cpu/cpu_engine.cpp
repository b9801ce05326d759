// SPDX-License-Identifier: Apache-2.0
// The cpu back end: core → kernels → memory → imp → machine code, run on all cores.
#include "compile/cpu/cpu_engine.h"

#include "codegen/cpu/compile.h"
#include "compile/backend/compiled_run.h"
#include "compile/backend/entry_values.h"
#include "compile/backend/image_bytes.h"
#include "compile/cpu/options.h"
#include "core/edit/rename.h"
#include "runtime/budget.h"
#include "runtime/context.h"
#include "runtime/cpu/parallel.h"

namespace skald::compile {

using runtime::Value;

namespace {

// What a back end is made of, as bytes.
std::string image_bytes(const cpu::ProgramImage& code, std::string_view places,
                        const std::vector<core::TuningParam>& params) {
  ByteWriter out;
  out.text(cpu::to_bytes(code));
  out.text(places);
  write_params(out, params);
  return out.take();
}

// What the runs of an engine share.
struct CpuMachine {
  runtime::ThreadPool pool;
  Limits limits = {};
  runtime::MemoryBudget* budget = nullptr;
  runtime::Watchdog dog = {};
};

class CpuExecutable : public Executable {
 public:
  CpuExecutable(cpu::CompiledProgram code, std::string places,
                std::vector<core::TuningParam> params, const core::Tuning& tuning,
                CpuMachine& machine)
      : code_(std::move(code)),
        places_(std::move(places)),
        params_(std::move(params)),
        machine_(machine) {
    for (const std::string& param : code_.params()) {
      const int64_t* chosen = core::find_choice(tuning, param);
      tuning_.push_back(chosen == nullptr ? 0 : *chosen);
    }
  }

  std::vector<core::TuningParam> params() const override { return params_; }

  std::string image() override {
    const std::optional<cpu::ProgramImage> code = code_.new_image();
    return code ? image_bytes(*code, places_, params_) : std::string();
  }

  Result<std::vector<Value>, RunFailure> call(const core::Function& entry,
                                              std::vector<Value> args) override {
    Result<std::vector<Value>> all = with_sizes(entry, std::move(args));
    if (!all) return Failure(RunFailure{all.error(), {}, RunFailure::kArguments});
    const SkaldEntry code = code_.entry(entry.entry->name);
    SKALD_CHECK(code != nullptr, "no code for entry point {}", entry.entry->name);
    // The program may update unique arguments in place, so they must not be shared.
    if (Result<Unit> owned = own_unique(entry, *all, 0, machine_.budget); !owned)
      return Failure(RunFailure::without_memory(owned.error()));
    if (Result<Unit> aligned = align_elements(*all, machine_.budget); !aligned)
      return Failure(RunFailure::without_memory(aligned.error()));
    SkaldContext context(&machine_.pool);
    context.tuning = tuning_;
    context.budget = machine_.budget;
    context.seconds = machine_.limits.seconds;
    context.stack_bytes = machine_.limits.stack;
    const runtime::Watchdog::Watch watch(machine_.dog, context);
    return run_on_slots(
        entry, *all,
        [&](std::span<const int64_t> in, std::span<int64_t> out) -> std::optional<RunFailure> {
          int32_t status = 0;
          code_.expect_call(entry.entry->name, in, tuning_, machine_.pool.threads());
          machine_.pool.run([&] {
            runtime::mark_first_frame(context);
            status = code(&context, in.data(), out.data());
          });
          if (status == 0) return std::nullopt;
          return failure_of(context, code_.failures(), places_);
        });
  }

 private:
  cpu::CompiledProgram code_;
  std::string places_;
  std::vector<core::TuningParam> params_;
  std::vector<int64_t> tuning_;
  CpuMachine& machine_;
};

// The image of a back end, read again.
struct LoadedImage {
  cpu::ProgramImage code;
  std::string places;
  std::vector<core::TuningParam> params;
};

std::optional<LoadedImage> image_from_bytes(std::string_view bytes) {
  ByteReader in(bytes);
  std::optional<cpu::ProgramImage> code = cpu::image_from_bytes(in.text());
  std::string places(in.text());
  std::vector<core::TuningParam> params = read_params(in);
  if (!code || !in.done()) return std::nullopt;
  return LoadedImage{std::move(*code), std::move(places), std::move(params)};
}

class CpuEngine : public Engine {
 public:
  explicit CpuEngine(const EngineOptions& options)
      : Engine(options), machine_{runtime::ThreadPool(options.threads), options.limits, budget()} {}

  int threads() const { return machine_.pool.threads(); }

  Result<std::unique_ptr<Executable>> compile(const core::Program& prog,
                                              const ProgramOptions& options) override {
    Result<core::Program> lowered = passes::run_passes(
        core::clone(prog), passes::pipeline_to(core::Stage::kMemory), options.passes);
    if (!lowered) return lowered.failure();
    Result<imp::Program> code = limits_time() ? lower_with_polls(*lowered, options.passes)
                                              : lower_for_cpu(*lowered, options.passes);
    if (!code) return code.failure();
    cpu::CompileOptions code_options = cpu_options(options.passes);
    code_options.soon = options.soon;
    code_options.verify = options.passes.verify || !options.soon;
    Result<cpu::ProgramImage> image = cpu::compile_to_image(*code, code_options);
    if (!image) return image.failure();
    return executable({std::move(*image), place_bytes(code->locs), core::tuning_params(*lowered)},
                      options);
  }

  // Code without polls would never stop.
  std::string image_key() const override {
    const std::string key = cpu::build_and_machine();
    return key.empty() || !limits_time() ? key : key + "\npolls";
  }

  std::string identity() const override { return "cpu\n" + cpu::machine_identity(); }

  Result<std::unique_ptr<Executable>> load(std::string_view bytes,
                                           const ProgramOptions& options) override {
    std::optional<LoadedImage> image = image_from_bytes(bytes);
    if (!image) return Failure("not an image of a program");
    return executable(std::move(*image), options);
  }

 private:
  Result<std::unique_ptr<Executable>> executable(LoadedImage image, const ProgramOptions& options) {
    Result<cpu::CompiledProgram> code = cpu::load(std::move(image.code));
    if (!code) return code.failure();
    return std::unique_ptr<Executable>(
        std::make_unique<CpuExecutable>(std::move(*code), std::move(image.places),
                                        std::move(image.params), options.tuning, machine_));
  }

  bool limits_time() const { return machine_.limits.seconds > 0; }

  CpuMachine machine_;
};

bool cpu_is_available(std::string&) {
  return true;
}

Result<std::shared_ptr<Engine>> open_cpu(const EngineOptions& options) {
  auto engine = std::make_shared<CpuEngine>(options);
  if (options.threads > engine->threads() && options.on_note)
    options.on_note(fmt::format("{} threads are more than this machine is for; there are {}.",
                                options.threads, engine->threads()));
  return std::shared_ptr<Engine>(std::move(engine));
}

}  // namespace

const Backend kCpuBackend = {
    .name = "cpu",
    .is_available = cpu_is_available,
    .open = open_cpu,
    .limits_memory = true,
    .limits_time = true,
    .limits_stack = true,
    .lower = lower_for_cpu,
    .emits = {{"ll", "LLVM IR", emit_llvm}, {"asm", "assembly", emit_assembly}},
    .make_object = make_object};

}  // namespace skald::compile
