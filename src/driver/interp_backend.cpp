// SPDX-License-Identifier: Apache-2.0
// The interpreter as a back end.
#include <cstdio>

#include "core/interp/interp.h"
#include "driver/backends.h"
#include "driver/below_core.h"
#include "imp/interp/interp.h"

namespace skald::driver {

using core::ArrayValue;
using runtime::Value;

namespace {

ArrayValue to_interp(const Value& value) {
  ArrayValue result{value.type, value.shape, std::make_shared<std::vector<std::byte>>()};
  result.data->assign(value.data.data(), value.data.data() + value.data.bytes());
  return result;
}

Result<Value> from_interp(const ArrayValue& value) {
  Result<Value> result = Value::allocate(value.elem, value.shape);
  if (result && !value.data->empty())
    std::memcpy(result->data.data(), value.data->data(), static_cast<size_t>(result->data.bytes()));
  return result;
}

class InterpBackend : public Backend {
 public:
  InterpBackend(const core::Program& prog, const BackendOptions& options)
      : prog_(&prog), tuning_(options.tuning), time_limit_(options.time_limit) {}

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

  Result<std::vector<Value>, RunFailure> run(const core::Function& entry,
                                             std::vector<Value> args) override {
    Result<std::vector<Value>> all = with_sizes(entry, std::move(args));
    if (!all) return Failure(RunFailure{"Error: " + all.error()});
    std::vector<ArrayValue> inputs;
    for (Value& value : *all) {
      inputs.push_back(to_interp(value));
      value = {};
    }
    core::InterpOptions options;
    options.trace = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    options.tuning = tuning_;
    options.time_limit = time_limit_;
    auto results = imp_ != nullptr
                       ? imp::interpret(*imp_, entry.entry->name, inputs, types_of(entry), options)
                       : core::interpret(*prog_, entry.name, std::move(inputs), options);
    if (!results)
      return Failure(
          RunFailure{run_failure_text(results.error().message, results.error().backtrace),
                     results.error().gave_up});
    std::vector<Value> values;
    for (size_t k = static_cast<size_t>(entry.entry ? entry.entry->result_sizes : 0);
         k < results->size(); ++k) {
      Result<Value> value = from_interp((*results)[k]);
      if (!value) return Failure(RunFailure{"Error: " + value.error()});
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
  double time_limit_;
};

}  // namespace

std::string run_failure_text(const std::string& message, const std::string& backtrace) {
  return backtrace.empty() ? fmt::format("Error: {}", message)
                           : fmt::format("Error: {}\n\nBacktrace:\n{}", message, backtrace);
}

Result<std::unique_ptr<Backend>> make_interp_backend(const core::Program& prog,
                                                     const BackendOptions& options) {
  auto backend = std::make_unique<InterpBackend>(prog, options);
  if (!options.stage) return std::unique_ptr<Backend>(std::move(backend));
  Result<core::Program> compiled =
      passes::run_passes(copy_of(prog), passes::pipeline_to(*options.stage), options.passes);
  if (!compiled) return compiled.failure();
  if (options.imp) {
    Result<imp::Program> code = imp_for(*compiled, *options.imp, options.passes);
    if (!code) return code.failure();
    backend->take(std::move(*compiled), std::move(*code));
  } else {
    backend->take(std::move(*compiled));
  }
  return std::unique_ptr<Backend>(std::move(backend));
}

}  // namespace skald::driver
