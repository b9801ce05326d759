// SPDX-License-Identifier: Apache-2.0
#include "compile/device/device_engine.h"

#include <algorithm>

#include "codegen/clike/device_program.h"
#include "compile/backend/image_bytes.h"
#include "compile/backend/strategy_options.h"
#include "compile/device/device_executable.h"
#include "core/edit/rename.h"
#include "imp/analysis/tuning_params.h"
#include "imp/pipeline.h"
#include "imp/text/print.h"
#include "runtime/device/transfer.h"
#include "support/build_id.h"

namespace skald::compile {

using runtime::Value;

namespace {

Event::Kind event_kind(runtime::EventKind kind) {
  switch (kind) {
    case runtime::EventKind::kLaunch: return Event::kKernel;
    case runtime::EventKind::kToDevice: return Event::kToDevice;
    case runtime::EventKind::kFromDevice: return Event::kFromDevice;
    case runtime::EventKind::kOnDevice:
    case runtime::EventKind::kAllocate: return Event::kOnDevice;
    case runtime::EventKind::kCompile: return Event::kCompile;
  }
  return Event::kCall;
}

class DeviceEngine : public Engine {
 public:
  DeviceEngine(const DeviceDriver& driver, const EngineOptions& options,
               std::unique_ptr<runtime::Device> device)
      : Engine(options), driver_(driver), device_(std::move(device)) {
    device_->memory().set_limit(options.limits.memory);
    limits_ = options.limits;
    profile_began_ = std::chrono::steady_clock::now();
    if (options.profile) device_->set_profiling(true);
  }

  Result<std::unique_ptr<Executable>> compile(const core::Program& prog,
                                              const ProgramOptions& options) override {
    passes::PassOptions for_gpu = options.passes;
    for_gpu.device = passes::kGpu;
    // A kernel cannot be stopped, a loop of the host can.
    if (limits_.seconds > 0) for_gpu.disabled.insert("group-loops");
    std::vector<std::string> notes;
    for_gpu.on_note = [&](const std::string& note) { notes.push_back(note); };
    Result<core::Program> lowered =
        passes::run_passes(core::clone(prog), passes::pipeline_to(core::Stage::kMemory), for_gpu);
    if (!lowered) return lowered.failure();
    imp::LowerOptions lowering = strategy_options(options.passes);
    lowering.matrix_sums = driver_.matrix_sums;
    lowering.warp_shuffles = driver_.warp_shuffles;
    lowering.loop_places = limits_.seconds > 0;
    Result<imp::Program> code =
        imp::make_device_code(*lowered, options.passes.with_device(imp::Device{}), lowering);
    if (!code) return code.failure();
    if (options.on_note)
      for (const std::string& note : notes) options.on_note(note);
    return make_device_executable(
        {clike::compile(*code, driver_.dialect, options.tuning), place_bytes(code->locs),
         imp::with_tunables(core::tuning_params(*lowered), *code)},
        host_for(options), notes.empty());
  }

  // Kernels are cached one by one, for a device; an image is the same for all devices.
  std::string image_key() const override {
    const std::string build = build_id();
    // With a limit of time there are places of loops in the code.
    return build.empty() ? build
                         : fmt::format("{}\n{}{}", build, driver_.dialect.name,
                                       limits_.seconds > 0 ? "\nplaces" : "");
  }

  std::string identity() const override { return device_->facts().identity; }

  Result<std::unique_ptr<Executable>> load(std::string_view bytes,
                                           const ProgramOptions& options) override {
    Result<DeviceImage> image = device_image_from_bytes(bytes);
    if (!image) return image.failure();
    return make_device_executable(std::move(*image), host_for(options), false);
  }

  // ---- memory

  bool has_own_memory() const override { return true; }
  runtime::MemoryBudget* budget() const override { return device_->memory().budget(); }
  bool holds(const Value& value) const override {
    return value.rank() == 0 || device_->owns(value.data.block());
  }
  Result<Value> upload(const Value& value) override { return runtime::upload(*device_, value); }
  Result<Value> download(const Value& value) override { return runtime::download(*device_, value); }
  Result<Unit> read(const Value& value, void* to) override {
    return runtime::read_value(*device_, value, to);
  }
  Result<Value> copy(const Value& value) override {
    return runtime::copy_on_device(*device_, value);
  }
  Result<Value> allocate(Prim type, std::vector<int64_t> shape) override {
    return runtime::allocate_on_device(*device_, type, std::move(shape));
  }
  Result<Value> part(const Value& value, int64_t offset, std::vector<int64_t> shape) override {
    return runtime::part_on_device(*device_, value, offset, std::move(shape));
  }
  Result<Value> adopt(Prim type, std::vector<int64_t> shape, void* memory,
                      void (*release)(void* memory, void* argument), void* argument) override {
    const Result<int64_t> bytes = runtime::byte_size(type, shape);
    if (!bytes) return bytes.failure();
    SkaldBlock* block = device_->memory().adopt(reinterpret_cast<runtime::DeviceMemory>(memory),
                                                *bytes, release, argument);
    return Value{type, std::move(shape), runtime::Buffer::take(block)};
  }
  Result<void*> native(const Value& value) override {
    if (value.rank() == 0 || !holds(value)) return Failure("a value that is not on this device");
    return static_cast<void*>(runtime::as_device_block(value.data.block()).memory);
  }
  void start() override {
    const std::unique_lock held = device_->hold();
    device_->start();
  }
  Result<Unit> finish() override {
    const std::unique_lock held = device_->hold();
    device_->finish();
    if (device_->has_problem()) return Failure(device_->take_problem());
    return Unit{};
  }

  // ---- events: those of the device count from when it began to record

  std::vector<Event> take_events() override {
    const std::unique_lock held = device_->hold();
    std::vector<Event> events = Engine::take_events();
    for (runtime::ProfileEvent& event : device_->take_events())
      events.push_back({event_kind(event.kind), std::move(event.name), event.bytes,
                        profile_began_ + std::chrono::nanoseconds(event.start_ns),
                        event.duration_ns});
    std::ranges::stable_sort(events, {}, &Event::start);
    return events;
  }

 private:
  DeviceHost host_for(const ProgramOptions& options) {
    return {*this, *device_, dog_, limits_, !options.passes.disabled.contains("graphs")};
  }

  const DeviceDriver& driver_;
  std::unique_ptr<runtime::Device> device_;
  Limits limits_ = {};
  runtime::Watchdog dog_;
  std::chrono::steady_clock::time_point profile_began_;
};

}  // namespace

Result<std::shared_ptr<Engine>> open_device_engine(const DeviceDriver& driver,
                                                   const EngineOptions& options) {
  Result<std::unique_ptr<runtime::Device>> device = driver.open(options.device);
  if (!device) return device.failure();
  return std::shared_ptr<Engine>(
      std::make_shared<DeviceEngine>(driver, options, std::move(*device)));
}

Result<imp::Program> lower_for_device(const core::Program& prog,
                                      const passes::PassOptions& options) {
  imp::LowerOptions lowering = strategy_options(options);
  lowering.warp_shuffles = false;
  return imp::make_device_code(prog, options.with_device(imp::Device{}), lowering);
}

Result<imp::Program> lower_with_matrices(const core::Program& prog,
                                         const passes::PassOptions& options) {
  imp::LowerOptions lowering = strategy_options(options);
  lowering.matrix_sums = true;
  return imp::make_device_code(prog, options.with_device(imp::Device{}), lowering);
}

Result<std::string> print_imp(const imp::Program& prog, const passes::PassOptions&) {
  return imp::print(prog);
}

std::string kernel_text(const imp::Program& prog, const clike::Dialect& dialect,
                        clike::Places places) {
  return clike::compile(prog, dialect, {}, places).program.kernels.source();
}

}  // namespace skald::compile
