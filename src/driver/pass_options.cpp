// SPDX-License-Identifier: Apache-2.0
#include "driver/pass_options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>

#include "compile/backend/strategy_options.h"
#include "compile/registry/backends.h"
#include "imp/lower/lower.h"
#include "imp/passes/pass.h"
#include "imp/pipeline.h"
#include "support/nearest.h"

namespace skald::driver {

namespace {

// With all that the interpreter knows of devices, shuffles among it.
Result<imp::Program> lower_for_any_device(const core::Program& prog,
                                          const passes::PassOptions& options) {
  return imp::make_device_code(prog, options.with_device(imp::Device{}),
                               compile::strategy_options(options));
}

bool is_pass(std::string_view name) {
  return passes::find_pass(name) != nullptr || imp::find_pass(name) != nullptr;
}

bool is_part(std::string_view name) {
  return std::ranges::any_of(backend_parts(), [&](const BackendPart& p) { return p.name == name; });
}

// Why a strategy of lowering cannot be disabled, or nothing.
std::optional<std::string> refused_strategy(const std::string& name) {
  for (const imp::StrategyOption& strategy : imp::lowering_strategies()) {
    if (strategy.name != name) continue;
    if (strategy.can_be_disabled) return std::nullopt;
    return fmt::format("`{}` cannot be disabled: it is what remains where no other strategy fits",
                       name);
  }
  return fmt::format("there is no strategy `{}`; `skald dump --list-strategies` shows them all",
                     name);
}

std::string unknown_pass(std::string_view name) {
  std::vector<std::string> names;
  for (const passes::PassInfo& pass : passes::all_passes()) names.emplace_back(pass.name);
  for (const imp::PassInfo& pass : imp::all_passes()) names.emplace_back(pass.name);
  for (const BackendPart& part : backend_parts()) names.emplace_back(part.name);
  const std::string near = did_you_mean(nearest(name, names));
  return fmt::format("there is no pass `{}`; {}", name,
                     near.empty() ? "`skald dump --list-passes` shows them all" : near);
}

}  // namespace

const std::vector<BackendPart>& backend_parts() {
  static const std::vector<BackendPart> kParts = {
      {"signs", "of `simplify`: a float and its opposite are computed once"},
      {"group-loops", "of `flatten`: loops of small kernels that one group of threads runs"},
      {"first-iteration", "of `narrow`: the first iteration of a row that is unlike the others"},
      {"two-stages", "of `vectorise`: divisions of one register while the other one goes on"},
      {"order", "the order in which a kernel goes through its points and arrays"},
      {"stream", "stores of large results that go past the caches"},
      {"caches", "sizes of this machine's caches; without it those of a plain processor"},
      {"simd256", "lanes in registers of 256 bits or fewer"},
      {"simd512", "lanes in registers of 512 bits"},
      {"avx512", "whatever AVX-512 has"},
      {"graphs", "many launches given to a device together, where its driver can do that"},
      {"machine", "what this processor has; imp is for a plain one with registers of 16 bytes"},
  };
  return kParts;
}

Result<passes::PassOptions> make_pass_options(const CompileOptions& options) {
  passes::PassOptions result;
  result.verify = options.verify;
  result.numbers = options.numbers;
  if (options.exact) result.disabled.insert("contract");
  for (const std::string& name : options.disabled) {
    if (name.find('/') != std::string::npos) {
      if (const std::optional<std::string> why = refused_strategy(name)) return Failure(*why);
    } else if (!is_pass(name) && !is_part(name)) {
      return Failure(unknown_pass(name));
    }
    result.disabled.insert(name);
  }
  for (const std::string& name : options.explain) {
    if (name != "lowering" && name != "hist" && !is_pass(name) && !is_part(name))
      return Failure(unknown_pass(name));
    result.explained.insert(name);
    result.on_explain = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  }
  if (options.report_limits)
    result.on_limit = [](const std::string& line) {
      std::fprintf(stderr, "limit: %s\n", line.c_str());
    };
  for (const std::string& limit : options.limits) {
    const size_t colon = limit.find(':');
    const std::string name = limit.substr(0, colon);
    if (!is_pass(name)) return Failure(unknown_pass(name));
    uint64_t count = 0;
    const char* end = limit.data() + limit.size();
    if (colon == std::string::npos ||
        std::from_chars(limit.data() + colon + 1, end, count).ptr != end ||
        colon + 1 == limit.size())
      return Failure(fmt::format("--limit={} is not of the form PASS:NUMBER", limit));
    result.limits[name] = count;
  }
  return result;
}

Result<Unit> choose_stage(const InterpretAt& chosen, const compile::Backend& backend,
                          compile::ProgramOptions& options) {
  if (chosen.stage.empty() && chosen.device.empty()) return Unit{};
  if (!backend.is_interpreter)
    return Failure(
        "--stage and --device say where the interpreter runs a program; add "
        "--backend=interp");
  if (chosen.stage.empty())
    return Failure(
        "--device needs --stage: without it the interpreter runs what the front end made");
  const bool gpu = chosen.device == "gpu";
  if (chosen.stage == "imp") {
    options.stage = core::Stage::kMemory;
    options.lower = gpu ? lower_for_any_device : compile::find_backend("cpu")->lower;
  } else {
    options.stage = core::stage_from_name(chosen.stage);
  }
  if (gpu) options.passes.device = passes::kGpu;
  return Unit{};
}

}  // namespace skald::driver
