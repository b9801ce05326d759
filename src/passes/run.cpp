// SPDX-License-Identifier: Apache-2.0
#include <ctime>

#include "core/verify/verify.h"
#include "passes/pass.h"

namespace skald::passes {

namespace {

// Milliseconds of processor time that this thread has used: the same on a busy machine.
double thread_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

}  // namespace

const PassInfo* find_pass(std::string_view name) {
  for (const PassInfo& pass : all_passes())
    if (pass.name == name) return &pass;
  return nullptr;
}

Result<core::Program> run_passes(core::Program prog, const std::vector<std::string_view>& names,
                                 const PassOptions& options) {
  Device device = options.device;
  choose_numbers(device, options.numbers);
  for (const std::string_view name : names) {
    const PassInfo* pass = find_pass(name);
    if (pass == nullptr) return Failure(fmt::format("there is no pass `{}`", name));
    if (options.disabled.contains(std::string(name))) {
      if (pass->required)
        return Failure(
            fmt::format("the pass `{}` is a lowering step and cannot be left out", name));
      continue;
    }
    const bool lowers = pass->from != pass->to;
    if (lowers ? prog.stage != pass->from : prog.stage < pass->from)
      return Failure(fmt::format("the pass `{}` works on stage {}, but the program is at stage {}",
                                 name, core::stage_name(pass->from), core::stage_name(prog.stage)));
    const auto limit = options.limits.find(std::string(name));
    PassContext ctx(limit == options.limits.end() ? UINT64_MAX : limit->second, device);
    const bool explained = options.on_explain && options.explained.contains(std::string(name));
    if (explained) ctx.set_on_explain(options.on_explain);
    if (options.on_limit)
      ctx.set_on_limit(
          [&](const std::string& line) { options.on_limit(fmt::format("{}: {}", name, line)); });
    const double start = thread_milliseconds();
    prog = pass->run(std::move(prog), ctx);
    const double took = thread_milliseconds() - start;
    if (explained)
      for (const auto& [rule, count] : ctx.counts())
        ctx.explain(fmt::format("{}: {} × {}", name, count, rule));
    if (options.verify) core::verify_or_bug(prog, fmt::format("after the pass `{}`", name));
    if (options.on_pass) options.on_pass({name, took, ctx.rewrites(), &prog});
    if (name == options.stop_after) break;
  }
  return prog;
}

}  // namespace skald::passes
