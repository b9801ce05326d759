// SPDX-License-Identifier: Apache-2.0
// The cpu back end: core → kernels → memory → imp → machine code, run on all cores.
#include "codegen/cpu/compile.h"
#include "driver/backends.h"
#include "driver/compiled_run.h"
#include "driver/cpu_options.h"
#include "runtime/context.h"
#include "runtime/cpu/parallel.h"
#include "support/bytes.h"

namespace skald::driver {

using runtime::Value;

namespace {

// What a back end is made of, as bytes.
std::string image_bytes(const cpu::ProgramImage& code, const core::LocTable& locs,
                        const std::vector<core::TuningParam>& params) {
  ByteWriter out;
  out.text(cpu::to_bytes(code));
  out.number(locs.size());
  for (size_t k = 1; k < locs.size(); ++k) {
    const core::LocTable::Entry& place = locs[core::Loc{static_cast<uint32_t>(k)}];
    out.text(place.text);
    out.number(place.caller.index);
  }
  out.number(params.size());
  for (const core::TuningParam& param : params) {
    out.text(param.name);
    out.text(param.param_class);
  }
  return out.take();
}

class CpuBackend : public Backend {
 public:
  CpuBackend(cpu::CompiledProgram code, core::LocTable locs, std::vector<core::TuningParam> params,
             const BackendOptions& options)
      : code_(std::move(code)),
        locs_(std::move(locs)),
        params_(std::move(params)),
        pool_(std::make_unique<runtime::ThreadPool>(options.threads)) {
    if (options.threads > pool_->threads() && options.on_note)
      options.on_note(fmt::format("{} threads are more than this machine is for; there are {}.",
                                  options.threads, pool_->threads()));
    for (const std::string& param : code_.params()) {
      const int64_t* chosen = core::find_choice(options.tuning, param);
      tuning_.push_back(chosen == nullptr ? 0 : *chosen);
    }
  }

  std::vector<core::TuningParam> params() const override { return params_; }

  std::string image() override {
    const std::optional<cpu::ProgramImage> code = code_.new_image();
    return code ? image_bytes(*code, locs_, params_) : std::string();
  }

  Result<std::vector<Value>, RunFailure> run(const core::Function& entry,
                                             std::vector<Value> args) override {
    Result<std::vector<Value>> all = with_sizes(entry, std::move(args));
    if (!all) return Failure(RunFailure{"Error: " + all.error()});
    const SkaldEntry call = code_.entry(entry.entry->name);
    SKALD_CHECK(call != nullptr, "no code for entry point {}", entry.entry->name);
    // The program may update unique arguments in place, so they must not be shared.
    if (Result<Unit> owned = own_unique(entry, *all, 0); !owned)
      return Failure(RunFailure{"Error: " + owned.error()});
    if (Result<Unit> aligned = align_elements(*all); !aligned)
      return Failure(RunFailure{"Error: " + aligned.error()});
    SkaldContext context(pool_.get());
    context.tuning = tuning_;
    return run_on_slots(entry, *all,
                        [&](const int64_t* in, int64_t* out) -> std::optional<std::string> {
                          int32_t status = 0;
                          pool_->run([&] { status = call(&context, in, out); });
                          if (status == 0) return std::nullopt;
                          return failure_text(context, code_.failures(), locs_);
                        });
  }

 private:
  cpu::CompiledProgram code_;
  core::LocTable locs_;
  std::vector<core::TuningParam> params_;
  std::vector<int64_t> tuning_;
  std::unique_ptr<runtime::ThreadPool> pool_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_cpu_backend(const core::Program& prog,
                                                  const BackendOptions& options) {
  Result<core::Program> lowered =
      passes::run_passes(copy_of(prog), passes::pipeline_to(core::Stage::kMemory), options.passes);
  if (!lowered) return lowered.failure();
  const Result<imp::Program> code = cpu_imp(*lowered, options.passes);
  if (!code) return code.failure();
  Result<cpu::ProgramImage> image = cpu::compile_to_image(*code, cpu_options(options.passes));
  if (!image) return image.failure();
  const std::vector<core::TuningParam> params = core::tuning_params(*lowered);
  Result<cpu::CompiledProgram> compiled = cpu::load(std::move(*image));
  if (!compiled) return compiled.failure();
  std::unique_ptr<Backend> backend =
      std::make_unique<CpuBackend>(std::move(*compiled), code->locs, params, options);
  return backend;
}

std::string cpu_image_key() {
  return cpu::build_and_machine();
}

Result<std::unique_ptr<Backend>> load_cpu_backend(std::string_view bytes,
                                                  const BackendOptions& options) {
  ByteReader in(bytes);
  std::optional<cpu::ProgramImage> image = cpu::image_from_bytes(in.text());
  core::LocTable locs;
  const size_t places = in.count();
  for (size_t k = 1; k < places; ++k) {
    const std::string text(in.text());
    locs.add(text, core::Loc{static_cast<uint32_t>(in.number())});
  }
  std::vector<core::TuningParam> params(in.count());
  for (core::TuningParam& param : params) {
    param.name = in.text();
    param.param_class = in.text();
  }
  if (!image || !in.done() || locs.size() != places) return Failure("not an image of a program");
  Result<cpu::CompiledProgram> compiled = cpu::load(std::move(*image));
  if (!compiled) return compiled.failure();
  std::unique_ptr<Backend> backend = std::make_unique<CpuBackend>(
      std::move(*compiled), std::move(locs), std::move(params), options);
  return backend;
}

}  // namespace skald::driver
