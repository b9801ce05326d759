// SPDX-License-Identifier: Apache-2.0
#include "compile/backend/compiled_run.h"

#include "compile/backend/image_bytes.h"

namespace skald::compile {

using runtime::Value;

Result<std::vector<Value>, RunFailure> run_on_slots(
    const core::Function& entry, const std::vector<Value>& args,
    const std::function<std::optional<RunFailure>(std::span<const int64_t> in,
                                                  std::span<int64_t> out)>& call,
    const runtime::FirstPart& first_part) {
  const std::vector<int64_t> in = runtime::pack_slots(args);
  std::vector<runtime::ValueType> types;
  for (const core::Ret& ret : entry.results) types.push_back({ret.type.elem, ret.type.rank()});
  std::vector<int64_t> out(static_cast<size_t>(runtime::slot_count(types)));
  if (std::optional<RunFailure> failure = call(in, out)) return Failure(std::move(*failure));
  Result<std::vector<Value>> results = runtime::unpack_slots(types, out, first_part);
  if (!results) return Failure(RunFailure::without_memory(results.error()));
  results->erase(results->begin(), results->begin() + entry.entry->result_sizes);
  return std::move(*results);
}

RunFailure failure_of(const SkaldContext& context,
                      const std::vector<clike::FailureMessage>& messages, std::string_view places) {
  const std::optional<runtime::RunError> error = context.errors.error();
  SKALD_CHECK(error.has_value(), "the program stopped without a reason");
  clike::FailureText text = clike::describe_failure(
      messages, places_from_bytes(places), error->id,
      std::span(error->values).first(static_cast<size_t>(error->value_count)),
      std::span(error->frames).first(static_cast<size_t>(error->frame_count)));
  return {std::move(text.message), std::move(text.backtrace),
          error->id < 0 ? RunFailure::kLimit : RunFailure::kProgram, std::move(text.code)};
}

}  // namespace skald::compile
