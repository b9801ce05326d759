// SPDX-License-Identifier: Apache-2.0
// skald dump FILE: shows a program at any point of its way.
#include <unistd.h>

#include <cstdio>

#include "analysis/stats.h"
#include "compile/registry/backends.h"
#include "compile/registry/frontends.h"
#include "core/text/print.h"
#include "core/tuning/tuning.h"
#include "driver/commands.h"
#include "driver/compare_programs.h"
#include "driver/pass_options.h"
#include "driver/session.h"
#include "driver/tuning.h"
#include "imp/lower/lower.h"
#include "imp/passes/pass.h"
#include "imp/text/parse.h"
#include "imp/text/print.h"
#include "imp/verify/verify.h"
#include "machine/hist_costs.h"

namespace skald::driver {

namespace {

void print_passes() {
  for (const passes::PassInfo& pass : passes::all_passes())
    std::printf("%-18s %-8s → %-8s %s\n", std::string(pass.name).c_str(),
                std::string(core::stage_name(pass.from)).c_str(),
                std::string(core::stage_name(pass.to)).c_str(),
                std::string(pass.description).c_str());
  for (const imp::PassInfo& pass : imp::all_passes())
    std::printf("%-18s %-8s → %-8s %s\n", std::string(pass.name).c_str(), "imp", "imp",
                std::string(pass.description).c_str());
  std::printf("\nParts of passes and of the cpu back end that --disable knows too:\n");
  for (const BackendPart& part : backend_parts())
    std::printf("%-18s %s\n", std::string(part.name).c_str(),
                std::string(part.description).c_str());
}

// What the runners of passes are told.
Result<passes::PassOptions> dump_pass_options(const DumpOptions& options) {
  Result<passes::PassOptions> result = make_pass_options(options.compile);
  if (!result) return result;
  result->verify = true;
  result->stop_after = options.after;
  if (options.annotate) result->explained.insert("places");
  if (options.times)
    result->on_pass = [](const PassEvent& event) {
      std::fprintf(stderr, "%-18s %8.3f ms  %llu rewrites\n", std::string(event.pass).c_str(),
                   event.milliseconds, static_cast<unsigned long long>(event.rewrites));
    };
  return result;
}

// Table by table; the last way of each is always there.
void print_strategies() {
  for (const imp::StrategyOption& strategy : imp::lowering_strategies())
    std::printf("%s%s\n", strategy.name.c_str(), strategy.can_be_disabled ? "" : " (always there)");
}

int dump_ast(Session& session, const std::string& path) {
  const frontend::Frontend& frontend = compile::frontend_of(path);
  const Result<source::FileId> file = session.sources().load(path);
  if (!file || frontend.show_syntax == nullptr) {
    session.error(
        file ? fmt::format("programs in the language {} have no syntax tree to show", frontend.name)
             : file.error());
    return kUserError;
  }
  std::fputs(frontend.show_syntax(*file, session.sources(), session.diagnostics()).c_str(), stdout);
  return session.report() ? kOk : kUserError;
}

// Is it imp, or what follows, that the options ask for?
bool shows_imp(const DumpOptions& options) {
  return options.stage == "imp" || imp::find_pass(options.after) != nullptr;
}

// The back end whose imp is printed, and how.
struct BelowCore {
  const compile::Backend* backend;
  const compile::Emit* emit;  // null: imp itself
};

BelowCore below_core(const DumpOptions& options) {
  const char* name = options.device == "gpu" ? "opencl" : "cpu";
  if (options.emit.empty()) return {compile::find_backend(name), nullptr};
  const compile::FoundEmit found = compile::find_emit(options.emit);
  return {found.backend, found.emit};
}

Result<std::string> text_of(const imp::Program& code, const BelowCore& form,
                            const passes::PassOptions& options) {
  if (form.emit == nullptr) return imp::print(code);
  return form.emit->text(code, options);
}

Result<std::string> dump_below_core(const core::Program& prog, const BelowCore& form,
                                    const passes::PassOptions& options) {
  const Result<imp::Program> code = form.backend->lower(prog, options);
  if (!code) return code.failure();
  return text_of(*code, form, options);
}

// A program in imp, after the passes of imp that are named.
Result<std::string> dump_imp_text(std::string_view text, const DumpOptions& options) {
  const Result<passes::PassOptions> passes = dump_pass_options(options);
  if (!passes) return passes.failure();
  Result<imp::Program> code = imp::parse(text);
  if (!code) return code.failure();
  const std::vector<std::string> problems = imp::verify(*code);
  if (!problems.empty()) return Failure(problems[0]);
  Result<imp::Program> changed =
      imp::run_passes(std::move(*code), {options.passes.begin(), options.passes.end()},
                      passes->with_device(imp::Device{}));
  if (!changed) return changed.failure();
  return text_of(*changed, below_core(options), *passes);
}

int dump_imp(Session& session, const DumpOptions& options) {
  const Result<source::FileId> file = session.sources().load(options.file);
  if (!file) {
    return session.fail(file.error());
  }
  const Result<std::string> text = dump_imp_text(session.sources().file(*file).text(), options);
  if (!text) {
    return session.fail(fmt::format("{}: {}", options.file, text.error()));
  }
  std::fputs(text->c_str(), stdout);
  return kOk;
}

// The passes that the options ask for.  A program that is already further down starts there.
Result<std::vector<std::string>> wanted_passes(const DumpOptions& options, core::Stage start) {
  if (!options.passes.empty()) return options.passes;
  core::Stage target = core::Stage::kSoacs;
  if (options.stats || shows_imp(options) || !options.emit.empty() || options.params) {
    target = core::Stage::kMemory;
  } else if (!options.after.empty()) {
    if (passes::find_pass(options.after) == nullptr)
      return Failure(fmt::format("there is no pass `{}`; `skald dump --list-passes` shows them all",
                                 options.after));
    target = core::Stage::kMemory;
  } else if (options.stage.empty()) {
    // Just as the front end made it.
    return std::vector<std::string>{};
  } else if (const std::optional<core::Stage> stage = core::stage_from_name(options.stage)) {
    target = *stage;
  } else {
    return Failure(fmt::format(
        "there is no stage `{}`; the stages are ast, soacs, kernels, memory, imp", options.stage));
  }
  std::vector<std::string> names;
  for (const std::string_view name : passes::pipeline_to(target))
    if (passes::find_pass(name)->from >= start) names.emplace_back(name);
  return names;
}

// Numbers of the cost models, which the code is made for.
void show_device_numbers(passes::Device device, const core::Tuning& chosen) {
  const auto show = [](std::string_view name, int64_t number) {
    std::puts(fmt::format("{} (device({}))", name, number).c_str());
  };
  passes::choose_numbers(device, chosen);
  for (const passes::DeviceNumber& each : passes::device_numbers())
    if (!each.groups_only || device.groups) show(each.name, device.*each.number);
  const machine::HistNumbers hist = machine::hist_numbers(chosen);
  const auto of = device.groups ? machine::HistMachine::kDevice : machine::HistMachine::kProcessor;
  for (size_t k = 0; k < machine::kHistCosts; ++k)
    if (machine::hist_cost_infos()[k].of == of)
      show(machine::hist_cost_infos()[k].name, hist.costs.each[k]);
  show(machine::kHistWayName, static_cast<int64_t>(hist.way));
  if (device.groups) show(machine::kHistOftenName, hist.often);
  if (device.groups) show(machine::kHistKeptName, hist.kept);
}

}  // namespace

int run_dump(const CommonOptions& common, const DumpOptions& options) {
  Session session(common);
  if (options.list_passes) {
    print_passes();
    return kOk;
  }
  if (options.list_strategies) {
    print_strategies();
    return kOk;
  }
  if (options.file.empty()) return session.fail("dump needs a file; see `skald dump --help`");
  if (options.file.ends_with(".imp")) return dump_imp(session, options);
  if (options.stage == "ast") return dump_ast(session, options.file);
  std::optional<core::Program> prog = session.load(options.file);
  if (!session.report() || !prog) return kUserError;

  const Result<core::Tuning> chosen = parse_choices(options.choices);
  if (!chosen) return session.fail(chosen.error());
  Result<passes::PassOptions> pass_options = dump_pass_options(options);
  if (!pass_options) return session.fail(pass_options.error());
  pass_options->numbers = device_choices(*chosen);
  for (const auto& [name, number] : *chosen)
    if (!pass_options->numbers.contains(name))
      return session.fail(
          fmt::format("`{}` is chosen when the program runs, not when it is compiled", name));
  if (!options.device.empty())
    pass_options->device = options.device == "gpu" ? passes::kGpu : passes::Device{};
  else
    pass_options->device = below_core(options).backend->device;
  const Result<std::vector<std::string>> names = wanted_passes(options, prog->stage);
  if (!names) return session.fail(names.error());
  Result<core::Program> result =
      passes::run_passes(std::move(*prog), {names->begin(), names->end()}, *pass_options);
  if (!result) return session.fail(result.error());
  if (options.params) {
    for (const core::TuningParam& param : core::tuning_params(*result))
      std::printf("%s (%s)\n", param.name.c_str(), param.param_class.c_str());
    show_device_numbers(pass_options->device, pass_options->numbers);
    return kOk;
  }

  if (!options.check_equal.empty()) {
    const std::optional<core::Program> other = session.load(options.check_equal);
    if (!session.report() || !other) return kUserError;
    const std::optional<std::string> difference = compare_on_random_data(*result, *other);
    return difference ? session.fail(*difference) : kOk;
  }
  if (shows_imp(options) || !options.emit.empty()) {
    const Result<std::string> text = dump_below_core(*result, below_core(options), *pass_options);
    if (!text) return session.fail(text.error());
    std::fputs(text->c_str(), stdout);
    return kOk;
  }
  if (options.stats) {
    std::fputs(analysis::kernel_stats(*result).c_str(), stdout);
    return kOk;
  }
  std::fputs(core::print(*result, {options.renumber, options.locs}).c_str(), stdout);
  return kOk;
}

}  // namespace skald::driver
