// SPDX-License-Identifier: Apache-2.0
// Lowering to imp and the passes of imp keep what a program computes: lowering alone, each pass
// after it, and all of them, for the cpu and for a device, against the interpreters.
#include "core/edit/rename.h"
#include "core/interp/interp.h"
#include "core/text/print.h"
#include "core/tuning/tuning.h"
#include "imp/interp/interp.h"
#include "imp/pipeline.h"
#include "imp/verify/verify.h"
#include "passes/pass.h"
#include "property.h"

namespace skald::property {

namespace {

using namespace core;

// Code differs between processors; what it computes must not.
imp::LowerOptions lowering_for(uint64_t seed) {
  imp::LowerOptions options;
  options.blocks = seed % 5 != 0;
  options.streams = seed % 2 == 0;
  if (seed % 3 == 0) return options;
  options.wide_registers = true;
  options.tile_row_bytes = 128;
  options.tile_bytes = 1024;
  options.registers = {.bytes = 32,
                       .wide_bytes = 64,
                       .bit_masks = true,
                       .long_operations = true,
                       .packed_bytes = 1,
                       .shuffles = true,
                       .gathers = true};
  return options;
}

Result<imp::Program> lowered(const Program& memory, imp::Target target, uint64_t seed) {
  if (target == imp::Target::kDevice) return imp::lower_for_device(memory);
  return imp::lower(memory, lowering_for(seed));
}

// Sizes are small, so every version of a nest is asked for.
Tuning tuning_for(const Program& memory, uint64_t seed) {
  Tuning tuning;
  for (const TuningParam& param : tuning_params(memory))
    if (seed % 2 == 0 && param.name.find("suff_intra_par") != std::string::npos)
      tuning[param.name] = 1;
  return tuning;
}

// Which passes to run: none, each one alone, all.
std::vector<std::vector<std::string_view>> pass_lists(imp::Target target) {
  std::vector<std::vector<std::string_view>> lists = {{}};
  for (const std::string_view name : imp::pipeline_for(target)) lists.push_back({name});
  if (lists.size() > 2) lists.push_back(imp::pipeline_for(target));
  return lists;
}

std::optional<std::string> difference(const Program& prog, uint64_t seed, imp::Target target) {
  const std::vector<ArrayValue> args = random_args(*prog.find("main"), seed);
  const auto expected = interpret(prog, "main", args);
  std::string at = "lowering";
  try {
    Program plain = clone(prog);
    std::vector<imp::ResultType> types;
    for (Function& fn : plain.functions) {
      if (fn.name != "main") continue;
      fn.entry = EntryPoint{.name = "main"};
      fn.entry->params.resize(fn.params.size());
      fn.entry->results.resize(fn.results.size());
      for (const Ret& ret : fn.results) types.push_back({ret.type.elem, ret.type.rank()});
    }
    const passes::Device device = target == imp::Target::kDevice ? passes::kGpu : passes::Device{};
    const auto memory = passes::run_passes(std::move(plain), passes::pipeline_to(Stage::kMemory),
                                           {.verify = false, .device = device});
    if (!memory) return memory.error();
    InterpOptions options;
    options.tuning = tuning_for(*memory, seed);
    for (const std::vector<std::string_view>& names : pass_lists(target)) {
      at = names.empty() ? "lowering" : names.size() == 1 ? std::string(names[0]) : "all passes";
      Result<imp::Program> code = lowered(*memory, target, seed);
      if (!code) return code.error();
      imp::verify_or_bug(*code, "lowering");
      imp::PassOptions pass_options;
      pass_options.device.registers = lowering_for(seed).registers;
      code = imp::run_passes(std::move(*code), names, pass_options);
      if (!code) return code.error();
      const auto results = imp::interpret(*code, "main", args, types, options);
      // A check that nobody needs may go, so a failure may disappear.
      if (!expected) continue;
      if (!results) return at + ": now fails with: " + results.error().message;
      if (!same_results(*expected, *results)) return at + ": other results";
    }
  } catch (const std::exception& error) {
    return at + ": " + error.what();
  }
  return std::nullopt;
}

Property property_of(std::string_view name, std::string_view what, imp::Target target) {
  return {name, what, [target](uint64_t seed) -> std::optional<std::string> {
            const auto fails = [&](const Program& prog) {
              return prog.find("main") && difference(prog, seed, target).has_value();
            };
            Program prog = random_program(seed, options_for(seed));
            if (!fails(prog)) return std::nullopt;
            const Program small = shrink(std::move(prog), fails);
            return difference(small, seed, target).value_or("") + "\n" + print(small);
          }};
}

}  // namespace

std::vector<Property> imp_properties() {
  return {
      property_of("imp", "lowering and the passes of imp, for the cpu", imp::Target::kCpu),
      property_of("imp-gpu", "lowering and the passes of imp, for a device", imp::Target::kDevice)};
}

}  // namespace skald::property
