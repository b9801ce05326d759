// SPDX-License-Identifier: Apache-2.0
// Object code of the cpu back end.
#include "compile/cpu/options.h"
#include "core/edit/rename.h"

namespace skald::compile {

Result<ObjectCode> make_object(const core::Program& prog, const passes::PassOptions& options,
                               const std::string& symbols) {
  Result<core::Program> lowered =
      passes::run_passes(core::clone(prog), passes::pipeline_to(core::Stage::kMemory), options);
  if (!lowered) return lowered.failure();
  const Result<imp::Program> code = lower_for_cpu(*lowered, options);
  if (!code) return code.failure();
  cpu::CompileOptions code_options = cpu_options(options);
  code_options.symbols = symbols;
  code_options.for_linker = true;
  Result<cpu::ProgramImage> image = cpu::compile_to_image(*code, code_options);
  if (!image) return image.failure();
  ObjectCode object;
  object.bytes = std::move(image->parts[0].object);
  object.params = std::move(image->params);
  for (const cpu::ProgramImage::Entry& entry : image->entries)
    object.entries.push_back({entry.name, entry.symbol});
  for (const cpu::FailureMessage& failure : image->failures) {
    ObjectCode::Message message;
    for (const auto& part : failure.parts) {
      const auto* value = std::get_if<clike::FailureValue>(&part);
      message.text +=
          value == nullptr ? std::get<std::string>(part) : fmt::format("{{{}}}", value->number);
    }
    if (failure.loc.index != 0) {
      message.place = code->locs[failure.loc].text;
      message.function = code->locs[failure.loc].function;
    }
    object.messages.push_back(std::move(message));
  }
  return object;
}

}  // namespace skald::compile
