// SPDX-License-Identifier: Apache-2.0
// Plans of lazy arrays, compiled and run (frontend/lazy/engine_api.h).
#include "compile/lazy/engine.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "compile/lazy/kept_plans.h"
#include "compile/program/program.h"
#include "compile/registry/backends.h"
#include "core/text/print.h"
#include "frontend/lazy/lower/scalar_ops.h"

namespace skald::lazy {

struct EngineProgram {
  explicit EngineProgram(std::optional<Hash128> key) : kept(key) {}

  std::unique_ptr<compile::Program> program;
  const core::Function* entry = nullptr;
  std::vector<Prim> scalars;
  std::mutex mutex;  // of `kept`
  KeptPlan kept;
};

namespace {

struct Engines {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<compile::Engine>> open;
};
// They end with the process: a driver may be gone before our own objects are.
Engines& engines() {
  static auto* const all = new Engines;
  return *all;
}

}  // namespace

Result<std::shared_ptr<compile::Engine>> engine_of(const std::string& backend) {
  const std::lock_guard lock(engines().mutex);
  auto& engine = engines().open[backend];
  if (engine) return engine;
  const compile::Backend* found = compile::find_backend(backend);
  if (!found) return Failure("there is no back end " + backend);
  std::string why_not;
  if (!found->is_available(why_not)) return Failure(why_not);
  auto opened = found->open({});
  if (!opened) return opened.failure();
  engine = *opened;
  return engine;
}

compile::ProgramOptions program_options() {
  static const bool verifies = std::getenv("SKALD_VERIFY_PLANS") != nullptr;
  compile::ProgramOptions options;
  options.passes.verify = verifies;
  return options;
}

LoweredPlan lower_code(const std::vector<int64_t>& code, const std::vector<std::string>& op_names,
                       Plan& plan, Machine machine) {
  plan = read_plan(code);
  const auto op_name = [&](uint16_t op) -> std::string_view {
    // In the order of the numbers that recorders give to what is no ufunc of NumPy.
    static constexpr std::string_view kOthers[] = {"where", "with_real", "with_imag"};
    const size_t other = op & 0xf;
    return op < op_names.size() ? std::string_view(op_names[op])
                                : kOthers[other < std::size(kOthers) ? other : 0];
  };
  return lower_plan(plan, op_name, find_callee, machine);
}

namespace {

Machine machine_of(std::string_view backend) {
  return backend == "cuda" || backend == "opencl" ? Machine::kDevice : Machine::kHost;
}

// A script waits for plans, and most are not run for long.  Functions of the user are worth all
// that a program of theirs would get.
compile::ProgramOptions options_of(const Plan& plan) {
  compile::ProgramOptions options = program_options();
  options.soon = std::none_of(plan.nodes.begin(), plan.nodes.end(),
                              [](const PlanNode& node) { return node.kind == NodeKind::kCall; });
  return options;
}

EngineProgram* compile_plan(const std::vector<int64_t>& code,
                            const std::vector<std::string>& op_names, const char* backend,
                            std::string& message) try {
  auto engine = engine_of(backend);
  if (!engine) {
    message = engine.failure().error;
    return nullptr;
  }
  const std::optional<Hash128> key = key_of_plan(**engine, code, op_names);
  auto made = std::make_unique<EngineProgram>(key);
  Plan plan;
  if (key) made->program = find_plan(*key, *engine);
  if (made->program) {
    plan = read_plan(code);
    made->kept.was_found(*made->program);
  } else {
    LoweredPlan lowered = lower_code(code, op_names, plan, machine_of(backend));
    auto program =
        compile::Program::from_core(*engine, std::move(lowered.program), options_of(plan));
    if (!program) {
      message = program.failure().error;
      return nullptr;
    }
    made->program = std::move(*program);
  }
  made->entry = made->program->find_entry("plan");
  for (const DType type : plan.scalars) made->scalars.push_back(prim_of(type));
  return made.release();
} catch (const std::exception& bug) {
  message = bug.what();
  return nullptr;
}

bool is_kept(const std::vector<int64_t>& code, const std::vector<std::string>& op_names,
             const char* backend) try {
  auto engine = engine_of(backend);
  if (!engine) return false;
  const std::optional<Hash128> key = key_of_plan(**engine, code, op_names);
  return key && is_plan_kept(*key);
} catch (const std::exception&) {
  return false;
}

// Nothing that goes wrong here concerns anybody.
void keep_plan(EngineProgram* program) try {
  const std::lock_guard lock(program->mutex);
  program->kept.keep(*program->program);
} catch (const std::exception&) {
  return;
}

Result<runtime::Value> array_value(const EngineArray& array) {
  auto release = array.release ? array.release : [](void*, void*) {};
  auto buffer = runtime::Buffer::adopt(array.data, array.bytes, release, array.argument);
  if (!buffer) return buffer.failure();
  runtime::Value value{prim_of(array.type), array.shape, std::move(*buffer)};
  if (is_complex(array.type)) value.shape.push_back(2);
  return value;
}

}  // namespace

Result<runtime::Value> engine_value(compile::Engine& engine, EngineArray& array) {
  const bool is_scalar = array.shape.empty() && !is_complex(array.type);
  if (!engine.has_own_memory() || is_scalar) return array_value(array);
  if (array.device) {
    auto* there = static_cast<runtime::Value*>(array.device);
    if (!array.release) return *there;
    runtime::Value given = std::move(*there);
    delete there;
    array.device = nullptr;
    array.release(array.data, array.argument);
    return given;
  }
  auto here = array_value(array);
  if (!here) return here;
  auto there = engine.upload(*here);
  if (there && !array.release) array.device = new runtime::Value(*there);
  return there;
}

namespace {

// A function that is called may give back an array that it was given, the same one twice, or one
// that it keeps.
bool is_shared(const runtime::Value& value, const EngineCall& call) {
  if (value.data.block() && value.data.block()->refs > 1) return true;
  const auto* data = static_cast<const std::byte*>(value.data.data());
  const auto overlaps = [&](const EngineArray& array) {
    const auto* from = static_cast<const std::byte*>(array.data);
    return from && data >= from && data < from + array.bytes;
  };
  for (const EngineArray& array : call.arrays) {
    if (!array.release && overlaps(array)) return true;
  }
  return std::any_of(call.results.begin(), call.results.end(), overlaps);
}

EngineArray copied_array(const runtime::Value& value) {
  EngineArray array;
  array.shape = value.shape;
  array.bytes = value.data.bytes();
  auto* const room = new std::byte[static_cast<size_t>(array.bytes) + 64];
  std::memcpy(room, value.data.data(), static_cast<size_t>(array.bytes));
  array.data = room;
  array.release = [](void* data, void*) { delete[] static_cast<std::byte*>(data); };
  return array;
}

// Scalars are on the host, whatever the engine.
EngineArray result_array(const compile::Engine& engine, runtime::Value value) {
  EngineArray array;
  array.shape = value.shape;
  array.bytes = value.data.bytes();
  if (engine.has_own_memory() && !value.shape.empty()) {
    array.device = new runtime::Value(std::move(value));
    return array;
  }
  array.data = value.data.data();
  array.argument = new runtime::Buffer(std::move(value.data));
  array.release = [](void*, void* buffer) { delete static_cast<runtime::Buffer*>(buffer); };
  return array;
}

}  // namespace

bool run_entry(compile::Engine& engine, compile::Executable& executable,
               const core::Function& entry, std::vector<runtime::Value> args, EngineCall& call,
               std::string& message) {
  auto results = executable.call(entry, std::move(args));
  if (!results) {
    message = results.error().text();
    return false;
  }
  engine.start();
  for (runtime::Value& value : *results) {
    const DType type = dtype_of(value.type);
    const bool on_host = !engine.has_own_memory() || value.shape.empty();
    call.results.push_back(on_host && is_shared(value, call)
                               ? copied_array(value)
                               : result_array(engine, std::move(value)));
    call.results.back().type = type;
  }
  return true;
}

namespace {

bool run_plan(EngineProgram* program, EngineCall& call, std::string& message) try {
  compile::Engine& engine = program->program->engine();
  std::vector<runtime::Value> args;
  const auto add = [&](Result<runtime::Value> value) {
    if (value) {
      args.push_back(std::move(*value));
    } else {
      message = value.error();
    }
    return message.empty();
  };
  const auto add_scalar = [&](Prim type, uint64_t bits) {
    return add(runtime::Value::scalar(type, bits));
  };
  for (const int64_t number : call.symbols) {
    if (!add_scalar(Prim::kI64, static_cast<uint64_t>(number))) return false;
  }
  for (size_t i = 0; i < call.scalars.size(); ++i) {
    if (!add_scalar(program->scalars[i], call.scalars[i])) return false;
  }
  for (EngineArray& array : call.arrays) {
    if (!add(engine_value(engine, array))) return false;
  }
  return run_entry(engine, program->program->executable(), *program->entry, std::move(args), call,
                   message);
} catch (const std::exception& bug) {
  message = bug.what();
  return false;
}

bool download(EngineProgram* program, void* device, void* to, std::string& message) try {
  auto read = program->program->engine().read(*static_cast<runtime::Value*>(device), to);
  if (!read) message = read.error();
  return message.empty();
} catch (const std::exception& bug) {
  message = bug.what();
  return false;
}

bool finish(std::string& message) try {
  const std::lock_guard lock(engines().mutex);
  for (auto& [name, engine] : engines().open) {
    if (!engine) continue;
    auto done = engine->finish();
    if (!done) message = done.error();
  }
  return message.empty();
} catch (const std::exception& bug) {
  message = bug.what();
  return false;
}

std::string show_plan(const std::vector<int64_t>& code, const std::vector<std::string>& op_names,
                      const char* backend) try {
  Plan plan;
  return core::print(lower_code(code, op_names, plan, machine_of(backend)).program);
} catch (const std::exception& bug) {
  return bug.what();
}

constexpr EngineApi kApi = {
    .compile = compile_plan,
    .is_kept = is_kept,
    .keep = keep_plan,
    .run = run_plan,
    .download = download,
    .drop_device = [](void* device) { delete static_cast<runtime::Value*>(device); },
    .finish = finish,
    .free = [](EngineProgram* program) { delete program; },
    .can_lower = [](const char* op, DType type) { return can_lower(op, type); },
    .show = show_plan,
    .callees = &kCalleeApi,
};

}  // namespace
}  // namespace skald::lazy

extern "C" __attribute__((visibility("default"))) const skald::lazy::EngineApi*
skald_lazy_engine() {
  return &skald::lazy::kApi;
}
