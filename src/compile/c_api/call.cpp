// SPDX-License-Identifier: Apache-2.0
// Calls of the C interface.
#include "compile/backend/entry_values.h"
#include "compile/c_api/errors.h"
#include "compile/c_api/objects.h"
#include "compile/program/run_diagnostic.h"

namespace skald::c_api {

using runtime::Value;

namespace {

skald_status status_of(compile::RunFailure::Kind kind) {
  switch (kind) {
    case compile::RunFailure::kArguments: return SKALD_BAD_SHAPE;
    case compile::RunFailure::kLimit: return SKALD_LIMIT;
    case compile::RunFailure::kDevice: return SKALD_DEVICE_ERROR;
    case compile::RunFailure::kProgram: break;
  }
  return SKALD_RUN_ERROR;
}

// One call on its way.
class Call {
 public:
  Call(const Program& program, const core::Function& entry) : program_(program), entry_(entry) {}

  Outcome run(std::span<const skald_array> inputs, std::span<skald_array> outputs) {
    const std::vector<compile::PlainType> types = compile::entry_inputs(entry_);
    const size_t result_count = compile::entry_outputs(entry_).size();
    if (inputs.size() != types.size())
      return failed(SKALD_BAD_TYPE, fmt::format("entry point `{}` takes {} values, not {}",
                                                entry_.entry->name, types.size(), inputs.size()));
    if (outputs.size() != result_count)
      return failed(SKALD_BAD_TYPE, fmt::format("entry point `{}` gives {} values, not {}",
                                                entry_.entry->name, result_count, outputs.size()));
    for (size_t k = 0; k < types.size(); ++k)
      if (Outcome bad = take(k, inputs[k], types[k]); bad.status != SKALD_OK) return bad;
    release_given(inputs);
    const Context& context = *program_.context;
    const compile::TimedEvent event(context.engine->events(), compile::Event::kCall,
                                    entry_.entry->name);
    Result<std::vector<Value>, compile::RunFailure> results =
        program_.compiled->executable().call(entry_, std::move(args_));
    if (!results) {
      const compile::RunFailure& failure = results.error();
      Outcome outcome = failed(status_of(failure.kind), failure.text());
      const std::vector<compile::BacktraceFrame> frames = compile::frames_of(failure.backtrace);
      if (!frames.empty()) outcome.place = frames[0].place;
      outcome.code = failure.code;
      return outcome;
    }
    // Callers may use the memory of arrays at once, by other libraries too.
    if (const Result<Unit> idle = context.engine->finish(); !idle)
      return failed(SKALD_DEVICE_ERROR, idle.error());
    for (size_t k = 0; k < results->size(); ++k) {
      Value& value = (*results)[k];
      const skald_space space = value.shape.empty() ? SKALD_HOST : space_of(context);
      outputs[k] = add_array(program_.context, std::move(value), space);
    }
    return {};
  }

 private:
  // Argument number k.
  Outcome take(size_t k, skald_array handle, const compile::PlainType& type) {
    const std::shared_ptr<Array> array = arrays().find(handle.id);
    if (array == nullptr)
      return failed(SKALD_BAD_HANDLE,
                    fmt::format("argument {}: there is no such array; it was freed, given to a "
                                "call, or its context has ended",
                                k));
    if (array->context != program_.context)
      return failed(SKALD_BAD_CONTEXT,
                    fmt::format("argument {} belongs to another context than the program", k));
    const Value& value = array->value;
    if (value.type != type.type || value.rank() != type.rank)
      return failed(SKALD_BAD_TYPE,
                    fmt::format("argument {} of entry point `{}` must be of type {}, not {}", k,
                                entry_.entry->name, runtime::type_text(type.type, type.rank),
                                runtime::type_text(value.type, value.rank())));
    if (value.rank() > 0 && array->space != space_of(*program_.context))
      return failed(
          SKALD_BAD_SPACE,
          fmt::format("argument {} lies in the host's memory, but the program runs on a device; "
                      "skald_array_copy brings it there",
                      k));
    // Scalars are passed by value, wherever they lie.
    if (value.rank() == 0 && array->space == SKALD_DEVICE) {
      Result<Value> here = program_.context->engine->download(value);
      if (!here) return failed(SKALD_DEVICE_ERROR, here.error());
      args_.push_back(std::move(*here));
    } else {
      args_.push_back(value);
    }
    return {};
  }

  // Arrays that were given away belong to the call alone from here on.
  static void release_given(std::span<const skald_array> inputs) {
    for (const skald_array input : inputs) {
      const std::shared_ptr<Array> array = arrays().find(input.id);
      if (array != nullptr && array->given) skald_array_free(input);
    }
  }

  const Program& program_;
  const core::Function& entry_;
  std::vector<Value> args_;
};

}  // namespace

}  // namespace skald::c_api

using namespace skald::c_api;

skald_status skald_call(skald_program handle, const char* entry, const skald_array* inputs,
                        size_t input_count, skald_array* outputs, size_t output_count) {
  return guarded([&]() -> Outcome {
    const std::shared_ptr<Program> program = programs().find(handle.id);
    if (program == nullptr)
      return failed(SKALD_BAD_HANDLE,
                    "there is no such program; it was freed, or its context has ended");
    if (entry == nullptr || (inputs == nullptr && input_count > 0) ||
        (outputs == nullptr && output_count > 0))
      return failed(SKALD_BAD_ARGUMENT, "`entry`, `inputs` or `outputs` is null");
    const skald::core::Function* fn = program->compiled->find_entry(entry);
    if (fn == nullptr)
      return failed(SKALD_BAD_ARGUMENT, fmt::format("the program has no entry point `{}`", entry));
    return Call(*program, *fn).run({inputs, input_count}, {outputs, output_count});
  });
}
