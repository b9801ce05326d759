// SPDX-License-Identifier: Apache-2.0
// The interpreter as a back end: the reference that all others are compared with.
#include "compile/interp/interp_engine.h"

#include <cstdio>

#include "compile/backend/entry_values.h"
#include "core/edit/rename.h"
#include "core/interp/interp.h"
#include "imp/interp/interp.h"
#include "passes/differentiate/differentiate.h"

namespace skald::compile {

using core::ArrayValue;
using runtime::Value;

namespace {

ArrayValue to_interp(const Value& value) {
  ArrayValue result{value.type, value.shape, std::make_shared<std::vector<std::byte>>()};
  result.data->assign(value.data.data(), value.data.data() + value.data.bytes());
  return result;
}

Result<Value> from_interp(const ArrayValue& value, runtime::MemoryBudget* budget) {
  Result<Value> result = Value::allocate(value.elem, value.shape, budget);
  if (result && !value.data->empty())
    std::memcpy(result->data.data(), value.data->data(), static_cast<size_t>(result->data.bytes()));
  return result;
}

class InterpExecutable : public Executable {
 public:
  InterpExecutable(const core::Program& prog, const ProgramOptions& options, const Limits& limits,
                   runtime::MemoryBudget* budget)
      : prog_(&prog), tuning_(options.tuning), limits_(limits), budget_(budget) {
    if (options.time_limit > 0 && (limits.seconds <= 0 || options.time_limit < limits.seconds))
      limits_.seconds = options.time_limit;
  }

  // Runs `compiled` instead of what it was given.
  void take(core::Program compiled) {
    compiled_ = std::make_unique<core::Program>(std::move(compiled));
    prog_ = compiled_.get();
  }
  // Runs `code`, which was made from `compiled`.
  void take(core::Program compiled, imp::Program code) {
    take(std::move(compiled));
    imp_ = std::make_unique<imp::Program>(std::move(code));
  }

  Result<std::vector<Value>, RunFailure> call(const core::Function& entry,
                                              std::vector<Value> args) override {
    Result<std::vector<Value>> all = with_sizes(entry, std::move(args));
    if (!all) return Failure(RunFailure{all.error(), {}, RunFailure::kArguments});
    std::vector<ArrayValue> inputs;
    for (Value& value : *all) {
      inputs.push_back(to_interp(value));
      value = {};
    }
    core::InterpOptions options;
    options.trace = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    options.tuning = tuning_;
    options.time_limit = limits_.seconds;
    options.stack_limit = limits_.stack;
    options.memory_limit = limits_.memory;
    if (budget_ != nullptr) options.memory_used = budget_->used();
    auto results = imp_ != nullptr
                       ? imp::interpret(*imp_, entry.entry->name, inputs, types_of(entry), options)
                       : core::interpret(*prog_, entry.name, std::move(inputs), options);
    if (!results)
      return Failure(RunFailure{results.error().message, results.error().backtrace,
                                results.error().gave_up ? RunFailure::kLimit : RunFailure::kProgram,
                                results.error().code});
    std::vector<Value> values;
    for (size_t k = static_cast<size_t>(entry.entry ? entry.entry->result_sizes : 0);
         k < results->size(); ++k) {
      Result<Value> value = from_interp((*results)[k], budget_);
      if (!value) return Failure(RunFailure::without_memory(value.error()));
      values.push_back(std::move(*value));
    }
    return values;
  }

  std::vector<core::TuningParam> params() const override { return core::tuning_params(*prog_); }

 private:
  static std::vector<imp::ResultType> types_of(const core::Function& entry) {
    std::vector<imp::ResultType> types;
    for (const core::Ret& ret : entry.results) types.push_back({ret.type.elem, ret.type.rank()});
    return types;
  }

  std::unique_ptr<core::Program> compiled_;  // null: it runs what it was given
  std::unique_ptr<imp::Program> imp_;        // null: it runs core
  const core::Program* prog_;
  core::Tuning tuning_;
  Limits limits_;
  runtime::MemoryBudget* budget_;
};

class InterpEngine : public Engine {
 public:
  explicit InterpEngine(const EngineOptions& options) : Engine(options), limits_(options.limits) {}

  Result<std::unique_ptr<Executable>> compile(const core::Program& prog,
                                              const ProgramOptions& options) override {
    auto executable = std::make_unique<InterpExecutable>(prog, options, limits_, budget());
    if (options.stage) {
      Result<core::Program> compiled = passes::run_passes(
          core::clone(prog), passes::pipeline_to(*options.stage), options.passes);
      if (!compiled) return compiled.failure();
      if (options.lower != nullptr) {
        Result<imp::Program> code = options.lower(*compiled, options.passes);
        if (!code) return code.failure();
        executable->take(std::move(*compiled), std::move(*code));
      } else {
        executable->take(std::move(*compiled));
      }
    } else if (passes::ad::has_derivatives(prog)) {
      // Derivatives are computed by the code that the pass makes.
      Result<core::Program> derived =
          passes::run_passes(core::clone(prog), {"differentiate"}, options.passes);
      if (!derived) return derived.failure();
      executable->take(std::move(*derived));
    }
    return std::unique_ptr<Executable>(std::move(executable));
  }

 private:
  Limits limits_;
};

bool interp_is_available(std::string&) {
  return true;
}

Result<std::shared_ptr<Engine>> open_interp(const EngineOptions& options) {
  return std::shared_ptr<Engine>(std::make_shared<InterpEngine>(options));
}

}  // namespace

const Backend kInterpBackend = {.name = "interp",
                                .is_available = interp_is_available,
                                .open = open_interp,
                                .is_interpreter = true,
                                .limits_memory = true,
                                .limits_time = true,
                                .limits_stack = true};

}  // namespace skald::compile
