// SPDX-License-Identifier: Apache-2.0
// skald run FILE: compiles in memory, reads values from stdin, prints results.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "compile/backend/entry_values.h"
#include "compile/program/program.h"
#include "compile/registry/backends.h"
#include "compile/registry/frontends.h"
#include "driver/commands.h"
#include "driver/pass_options.h"
#include "driver/run/forms.h"
#include "driver/session.h"
#include "driver/trim.h"
#include "driver/tuning.h"
#include "driver/words.h"
#include "runtime/values/value_reader.h"
#include "runtime/values/value_writer.h"

namespace skald::driver {

using runtime::Value;

namespace {

// "a: f32, xs: [n]f32"
std::string params_text(const core::EntryPoint& entry) {
  std::string text;
  for (const core::EntryValue& param : entry.params) {
    if (!text.empty()) text += ", ";
    if (!param.name.empty()) text += param.name + ": ";
    text += param.type;
  }
  return text;
}

Result<std::vector<Value>> read_inputs(const core::Function& entry) {
  const std::vector<compile::PlainType> types = compile::entry_inputs(entry);
  if (::isatty(STDIN_FILENO) != 0) {
    // Nobody should wonder what the program waits for, or end an input that nobody reads.
    if (types.empty()) return std::vector<Value>();
    fmt::print(stderr, "{} takes {}: type the values, then Ctrl-D on a new line.\n",
               entry.entry->name, params_text(*entry.entry));
  }
  runtime::ValueReader reader(STDIN_FILENO);
  std::vector<Value> values;
  for (size_t k = 0; k < types.size(); ++k) {
    if (reader.at_end())
      return Failure(fmt::format("entry point `{}` takes {}, but the input ends after {}",
                                 entry.entry->name, count_text(types.size(), "value"),
                                 count_text(k, "value")));
    Result<Value, runtime::ReadError> value = reader.read(types[k].type, types[k].rank);
    if (!value)
      return Failure(fmt::format("cannot read value {} of {} for `{}`: {}", k + 1, types.size(),
                                 entry.entry->name, value.error().text()));
    values.push_back(std::move(*value));
  }
  if (!reader.at_end())
    return Failure(fmt::format("entry point `{}` takes {}, but there is more input: {}",
                               entry.entry->name, count_text(types.size(), "value"),
                               reader.excess().text()));
  return values;
}

bool write_times(const std::string& path, const std::vector<int64_t>& microseconds) {
  std::FILE* out = std::fopen(path.c_str(), "w");
  if (out == nullptr) return false;
  for (const int64_t time : microseconds) std::fprintf(out, "%lld\n", static_cast<long long>(time));
  return std::fclose(out) == 0;
}

Result<Unit> write_outputs(const std::vector<Value>& values, bool binary) {
  runtime::Output out(STDOUT_FILENO);
  for (const Value& value : values) {
    if (binary) {
      write_binary(out, value);
    } else {
      write_text(out, value);
      out.write("\n");
    }
  }
  return out.flush();
}

// All values of `values`, through one of the engine's ways to copy.
using Transfer = Result<Value> (compile::Engine::*)(const Value&);
Result<Unit> move_all(compile::Engine& engine, Transfer transfer, std::vector<Value>& values) {
  for (Value& value : values) {
    Result<Value> moved = (engine.*transfer)(value);
    if (!moved) return moved.failure();
    value = std::move(*moved);
  }
  return Unit{};
}

// Calls the entry point as often as asked for.  As Futhark's executables: with -r there is one
// warm-up run that is not timed, arguments are where the program wants them, results stay there,
// and the device is idle at both ends.
Result<std::vector<Value>, compile::RunFailure> timed_runs(compile::Program& program,
                                                           const core::Function& entry,
                                                           const RunOptions& options,
                                                           std::vector<Value> inputs,
                                                           std::vector<int64_t>& times) {
  const auto fail = [](const std::string& what) {
    return Failure(compile::RunFailure{what, {}, compile::RunFailure::kDevice});
  };
  compile::Engine& engine = program.engine();
  std::vector<Value> results;
  const int rounds = options.runs > 1 || !options.runtime_file.empty() ? options.runs + 1 : 1;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Value> args = round + 1 == rounds ? std::move(inputs) : inputs;
    // What the program may change must be its own; making it so is not its work.
    if (Result<Unit> owned = engine.own_unique(entry, args); !owned) return fail(owned.error());
    results.clear();
    if (Result<Unit> idle = engine.finish(); !idle) return fail(idle.error());
    const auto start = std::chrono::steady_clock::now();
    Result<std::vector<Value>, compile::RunFailure> outcome =
        program.executable().call(entry, std::move(args));
    const Result<Unit> idle = engine.finish();
    const auto took = std::chrono::steady_clock::now() - start;
    if (!outcome) return outcome.failure();
    if (!idle) return fail(idle.error());
    if (round > 0 || rounds == 1)
      times.push_back(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
    results = std::move(*outcome);
  }
  return results;
}

// The arguments, where the program wants them.
Result<std::vector<Value>> ready_inputs(compile::Program& program, const RunOptions& options) {
  Result<std::vector<Value>> inputs = read_inputs(*program.find_entry(options.entry));
  if (!inputs) return inputs;
  if (Result<Unit> there = move_all(program.engine(), &compile::Engine::upload, *inputs); !there)
    return there.failure();
  return inputs;
}

// Calls the entry point, writes the results.
int call_entry(Session& session, const RunOptions& options, compile::Program& program,
               std::vector<Value> inputs) {
  const core::Function& entry = *program.find_entry(options.entry);
  if (!program.from_cache()) give_back_compiler_memory();
  const bool garbles = options.binary_output && options.print_result && !options.force &&
                       ::isatty(STDOUT_FILENO) != 0;
  if (garbles)
    return session.fail(
        "binary values would garble the terminal; send them to a file, or add --force");
  compile::Engine& engine = program.engine();
  std::vector<int64_t> times;
  Result<std::vector<Value>, compile::RunFailure> results =
      timed_runs(program, entry, options, std::move(inputs), times);
  if (!results) {
    std::fputs(session.loader().failure_text(results.error()).c_str(), stderr);
    return kUserError;
  }
  if (!options.runtime_file.empty() && !write_times(options.runtime_file, times))
    return session.fail(fmt::format("cannot write `{}`", options.runtime_file));
  if (!options.print_result) return kOk;
  if (const Result<Unit> here = move_all(engine, &compile::Engine::download, *results); !here)
    return session.fail(here.error());
  const Result<Unit> written = write_outputs(*results, options.binary_output);
  return written ? kOk : session.fail(written.error());
}

Result<std::shared_ptr<compile::Engine>> open_engine(const RunOptions& options,
                                                     const compile::ProgramOptions& program) {
  compile::EngineOptions engine_options;
  engine_options.threads = options.threads;
  engine_options.on_note = program.on_note;
  engine_options.limits = options.limits;
  if (const Result<Unit> kept = compile::check_limits(*options.backend, options.limits); !kept)
    return kept.failure();
  return options.backend->open(engine_options);
}

// Reads and compiles the program, or takes it from the cache.  Null after an error, which has been
// shown.
std::unique_ptr<compile::Program> ready_program(Session& session, const RunOptions& options,
                                                const compile::ProgramOptions& program_options,
                                                std::shared_ptr<compile::Engine> engine) {
  std::string shown, problem;
  std::unique_ptr<compile::Program> program =
      compile::Program::make(session.loader(), std::move(engine),
                             {.path = options.file,
                              .entry = options.entry,
                              .only_forms = options.entry.empty(),
                              .options = program_options,
                              .cache = options.cache},
                             shown, problem);
  std::fputs(shown.c_str(), stderr);
  if (!problem.empty()) session.error(problem);
  if (program != nullptr && session.options().verbose)
    std::fprintf(stderr, "skald: %s\n",
                 program->from_cache()  ? "machine code from the cache"
                 : program->has_cache() ? "compiled, to be kept in the cache"
                                        : "compiled");
  return program;
}

// Finds the fastest versions for these inputs, and remembers them in the file.
Result<Unit> tune(const CommonOptions& common, const RunOptions& options,
                  compile::ProgramOptions& program_options, compile::Program& program,
                  const std::vector<Value>& inputs) {
  constexpr int kRuns = 3;
  const auto time = [&](const core::Tuning& tuning) -> std::optional<double> {
    compile::ProgramOptions tried = program_options;
    tried.tuning = tuning;
    tried.on_note = {};
    CommonOptions quiet = common;
    quiet.warnings = false;
    quiet.verbose = false;
    Session session(quiet);
    const std::unique_ptr<compile::Program> other =
        ready_program(session, options, tried, program.shared_engine());
    if (other == nullptr) return std::nullopt;
    RunOptions runs = options;
    runs.runs = kRuns;
    std::vector<int64_t> times;
    if (!timed_runs(*other, *other->find_entry(options.entry), runs, inputs, times))
      return std::nullopt;
    return static_cast<double>(*std::ranges::min_element(times)) * 1e-6;
  };
  const auto say = [&](const std::string& line) {
    if (common.verbose) fmt::print(stderr, "skald: {}\n", line);
  };
  std::optional<core::Tuning> best =
      find_fastest(program.executable().params(), program_options.tuning, time, say);
  // What fails will fail again, and say why.
  if (!best) return Unit{};
  program_options.tuning = std::move(*best);
  return write_tuning_file(options.tune_file, program_options.tuning);
}

// Ends the process without waiting for threads that compile what may never be called, and without
// giving back memory piece by piece.  With a sanitizer, which may have something to say at the end,
// it returns.
void end_process([[maybe_unused]] int status) {
#ifndef __SANITIZE_ADDRESS__
  std::fflush(nullptr);
  std::_Exit(status);
#endif
}

int ended(compile::Program& program, int status) {
  program.keep();
  end_process(status);
  return status;
}

}  // namespace

int run_run(const CommonOptions& common, const RunOptions& given) {
  Session session(common);
  RunOptions options = given;
  const bool forms = options.entry.empty() && compile::frontend_of(options.file).has_forms;
  if (options.entry.empty() && !forms) options.entry = "main";
  compile::ProgramOptions program_options;
  const Result<passes::PassOptions> pass_options = make_pass_options(options.compile);
  if (!pass_options) return session.fail(pass_options.error());
  program_options.passes = *pass_options;
  if (const Result<Unit> at = choose_stage(options.interpret, *options.backend, program_options);
      !at)
    return session.fail(at.error());
  // What was found before is used again.
  const bool has_tuning_file =
      !options.tune_file.empty() && ::access(options.tune_file.c_str(), F_OK) == 0;
  for (const std::string& file :
       {options.tuning_file, has_tuning_file ? options.tune_file : std::string()}) {
    if (file.empty()) continue;
    const Result<Unit> read = read_tuning_file(file, program_options.tuning);
    if (!read) return session.fail(read.error());
  }
  Result<core::Tuning> chosen = parse_choices(options.params);
  if (!chosen) return session.fail(chosen.error());
  for (const auto& [name, number] : *chosen) program_options.tuning[name] = number;

  if (common.warnings)
    program_options.on_note = [](const std::string& note) {
      fmt::print(stderr, "Warning: {}\n", note);
    };
  program_options.passes.numbers = device_choices(program_options.tuning);
  const Result<std::shared_ptr<compile::Engine>> engine = open_engine(options, program_options);
  if (!engine) return session.fail(engine.error());
  std::unique_ptr<compile::Program> program =
      ready_program(session, options, program_options, *engine);
  if (program == nullptr) return kUserError;
  // A file may be meant for several back ends, but what was typed must exist.
  const std::vector<core::TuningParam> params = program->executable().params();
  for (const auto& [name, number] : *chosen)
    if (!program_options.passes.numbers.contains(name) &&
        std::ranges::find(params, name, &core::TuningParam::name) == params.end())
      return session.fail(
          fmt::format("there is no tuning parameter `{}` here; `skald dump --params {}` lists them",
                      name, options.file));
  if (forms) {
    if (!options.tune_file.empty())
      return session.fail("--tune times an entry point; name one with -e");
    return ended(*program, run_forms(session, *program));
  }
  Result<std::vector<Value>> inputs = ready_inputs(*program, options);
  if (!inputs) return session.fail(inputs.error());
  if (!options.tune_file.empty() && !has_tuning_file) {
    const Result<Unit> tuned = tune(common, options, program_options, *program, *inputs);
    if (!tuned) return session.fail(tuned.error());
    program = ready_program(session, options, program_options, *engine);
    if (program == nullptr) return kUserError;
  }
  return ended(*program, call_entry(session, options, *program, std::move(*inputs)));
}

}  // namespace skald::driver
