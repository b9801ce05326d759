// SPDX-License-Identifier: Apache-2.0
#include "driver/test/case_values.h"

#include "compile/backend/entry_values.h"
#include "compile/program/host_program.h"
#include "driver/script/eval.h"
#include "driver/values/data_file.h"
#include "driver/words.h"
#include "runtime/values/random_value.h"
#include "runtime/values/value_reader.h"

namespace skald::driver {

using runtime::Value;
using runtime::ValueReader;

namespace {

// The same data in every run and on every machine.
constexpr uint64_t kRandomSeed = 1;

// Types such as [100]f32 give random values, anything else is a value.
Result<std::vector<Value>> random_arguments(const std::string& text, const core::Function& entry) {
  const std::vector<compile::PlainType> types = compile::entry_inputs(entry);
  runtime::Random random(kRandomSeed);
  std::vector<Value> values;
  std::string_view rest = text;
  for (;;) {
    const size_t begin = rest.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) break;
    rest.remove_prefix(begin);
    const std::string_view word =
        rest.substr(0, std::min(rest.find_first_of(" \t\n"), rest.size()));
    rest.remove_prefix(word.size());
    if (values.size() >= types.size())
      return Failure(fmt::format("the entry point takes {}, but the case has more",
                                 count_text(types.size(), "value")));
    if (const Result<runtime::SizedType> type = runtime::parse_sized_type(word)) {
      Result<Value> value = runtime::random_value(random, type->type, type->shape);
      if (!value) return value.failure();
      values.push_back(std::move(*value));
      continue;
    }
    Result<Value, runtime::ReadError> value =
        ValueReader(word).read(types[values.size()].type, types[values.size()].rank);
    if (!value) return Failure(value.error().text());
    values.push_back(std::move(*value));
  }
  if (values.size() != types.size())
    return Failure(fmt::format("the entry point takes {}, but the case has {}",
                               count_text(types.size(), "value"), values.size()));
  for (size_t k = 0; k < types.size(); ++k)
    if (values[k].type != types[k].type || values[k].rank() != types[k].rank)
      return Failure(
          fmt::format("argument {} of the entry point has type {}, but the case gives {}", k,
                      runtime::type_text(types[k].type, types[k].rank),
                      runtime::type_text(values[k].type, values[k].shape)));
  return values;
}

}  // namespace

Result<std::vector<Value>> case_arguments(const CaseInput& input, const core::Program& prog,
                                          const core::Function& entry,
                                          compile::HostProgram& program,
                                          const std::string& folder) {
  switch (input.kind) {
    case CaseInput::kValues:
      return read_values(ValueReader(std::string_view(input.text)), compile::entry_inputs(entry));
    case CaseInput::kRandom: return random_arguments(input.text, entry);
    case CaseInput::kFile:
      return read_value_file(folder + input.text, compile::entry_inputs(entry));
    case CaseInput::kScript:
      return ScriptEvaluator(prog, program, folder).arguments(input.text, entry);
    case CaseInput::kScriptFile: {
      const Result<std::string> script = read_bytes(folder + input.text);
      if (!script) return script.failure();
      return ScriptEvaluator(prog, program, folder).arguments(*script, entry);
    }
  }
  SKALD_BUG("unknown kind of input");
}

Result<std::vector<Value>> case_expectation(const CaseResult& result, const std::string& folder) {
  if (result.kind == CaseResult::kValues)
    return read_values(ValueReader(std::string_view(result.text)));
  return read_value_file(folder + result.text);
}

}  // namespace skald::driver
