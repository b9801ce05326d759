// SPDX-License-Identifier: Apache-2.0
// Passes keep programs well formed and do not change what they compute: each one alone, and whole
// pipelines, against the interpreter.
#include "core/edit/rename.h"
#include "core/interp/interp.h"
#include "core/text/print.h"
#include "core/tuning/tuning.h"
#include "core/verify/verify.h"
#include "passes/pass.h"
#include "property.h"

namespace skald::property {

namespace {

using namespace core;

// What is wrong after the passes, if anything.
std::optional<std::string> difference(const Program& prog, uint64_t seed,
                                      const std::vector<std::string_view>& names,
                                      const passes::Device& device) {
  const auto args = random_args(*prog.find("main"), seed);
  const auto before = interpret(prog, "main", args);
  try {
    const auto changed =
        passes::run_passes(clone(prog), names, {.verify = false, .device = device});
    if (!changed) return changed.error();
    if (const auto problems = verify(*changed); !problems.empty()) return problems[0];
    // Sizes are small, so every version is asked for.
    InterpOptions options;
    for (const TuningParam& param : tuning_params(*changed))
      if (seed % 2 == 0 && param.name.find("suff_intra_par") != std::string::npos)
        options.tuning[param.name] = 1;
    const auto after = interpret(*changed, "main", args, options);
    // A check that nobody needs may go, so a failure may disappear.
    if (!before) return std::nullopt;
    if (!after) return "now fails with: " + after.error().message;
    if (!same_results(*before, *after)) return "other results";
  } catch (const std::exception& error) {
    return error.what();
  }
  return std::nullopt;
}

Property property_of(std::string_view name, std::string_view what,
                     std::vector<std::string_view> names, passes::Device device = {}) {
  return {name, what, [names, device](uint64_t seed) -> std::optional<std::string> {
            const auto fails = [&](const Program& prog) {
              return prog.find("main") && difference(prog, seed, names, device).has_value();
            };
            Program prog = random_program(seed, options_for(seed));
            if (!fails(prog)) return std::nullopt;
            const Program small = shrink(std::move(prog), fails);
            return difference(small, seed, names, device).value_or("") + "\n" + print(small);
          }};
}

}  // namespace

std::vector<Property> pass_properties() {
  std::vector<Property> properties;
  for (const passes::PassInfo& pass : passes::all_passes())
    if (pass.from == Stage::kSoacs && pass.to == Stage::kSoacs)
      properties.push_back(property_of(pass.name, pass.description, {pass.name}));
  properties.push_back(property_of("to-kernels", "the pipeline to stage kernels",
                                   passes::pipeline_to(Stage::kKernels)));
  properties.push_back(property_of("to-memory", "the pipeline to stage memory",
                                   passes::pipeline_to(Stage::kMemory)));
  properties.push_back(property_of("to-memory-gpu", "the pipeline to stage memory, for a gpu",
                                   passes::pipeline_to(Stage::kMemory), passes::kGpu));
  return properties;
}

}  // namespace skald::property
