// SPDX-License-Identifier: Apache-2.0
// skald run FILE: compiles in memory, reads values from stdin, prints results.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "driver/backend.h"
#include "driver/commands.h"
#include "driver/entry.h"
#include "driver/pass_options.h"
#include "driver/ready_program.h"
#include "driver/session.h"
#include "driver/trim.h"
#include "driver/tuning.h"
#include "runtime/values/value_reader.h"
#include "runtime/values/value_writer.h"

namespace skald::driver {

using runtime::Value;

namespace {

Result<std::vector<Value>> read_inputs(const core::Function& entry) {
  runtime::ValueReader reader(STDIN_FILENO);
  const std::vector<PlainType> types = entry_inputs(entry);
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

// Reads the arguments, calls the entry point, writes the results.
int call_entry(Session& session, const RunOptions& options, const ReadyProgram& program) {
  const auto fail = [&](const std::string& what) {
    session.error(what);
    return kUserError;
  };
  const core::Function& entry = *program.entry;
  if (!program.from_cache) give_back_compiler_memory();
  Result<std::vector<Value>> inputs = read_inputs(entry);
  if (!inputs) return fail(inputs.error());

  // As Futhark's executables: with -r there is one warm-up run that is not timed.
  std::vector<int64_t> times;
  std::vector<Value> results;
  const int rounds = options.runs > 1 || !options.runtime_file.empty() ? options.runs + 1 : 1;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Value> args = round + 1 == rounds ? std::move(*inputs) : *inputs;
    // What the program may change must be its own; making it so is not its work.
    if (Result<Unit> owned = own_unique(entry, args, static_cast<size_t>(entry.entry->sizes));
        !owned)
      return fail(owned.error());
    results.clear();
    const auto start = std::chrono::steady_clock::now();
    Result<std::vector<Value>, RunFailure> outcome = program.backend->run(entry, std::move(args));
    const auto took = std::chrono::steady_clock::now() - start;
    if (!outcome) {
      std::fprintf(stderr, "%s\n", outcome.error().text.c_str());
      return kUserError;
    }
    if (round > 0 || rounds == 1)
      times.push_back(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
    results = std::move(*outcome);
  }
  if (!options.runtime_file.empty() && !write_times(options.runtime_file, times))
    return fail(fmt::format("cannot write `{}`", options.runtime_file));
  if (!options.print_result) return kOk;
  const Result<Unit> written = write_outputs(results, options.binary_output);
  return written ? kOk : fail(written.error());
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

}  // namespace

int run_run(const CommonOptions& common, const RunOptions& options) {
  Session session(common);
  const auto fail = [&](const std::string& what) {
    session.error(what);
    return kUserError;
  };
  BackendOptions backend_options;
  backend_options.threads = options.threads;
  const Result<passes::PassOptions> pass_options = make_pass_options(options.compile);
  if (!pass_options) return fail(pass_options.error());
  backend_options.passes = *pass_options;
  if (const Result<Unit> at = choose_stage(options.interpret, options.backend, backend_options);
      !at)
    return fail(at.error());
  if (!options.tuning_file.empty()) {
    const Result<Unit> read = read_tuning_file(options.tuning_file, backend_options.tuning);
    if (!read) return fail(read.error());
  }
  Result<core::Tuning> chosen = parse_choices(options.params);
  if (!chosen) return fail(chosen.error());
  for (const auto& [name, number] : *chosen) backend_options.tuning[name] = number;

  if (common.warnings)
    backend_options.on_note = [](const std::string& note) {
      fmt::print(stderr, "Warning: {}\n", note);
    };
  RunOptions with_numbers = options;
  with_numbers.compile.numbers = device_choices(backend_options.tuning);
  backend_options.passes.numbers = with_numbers.compile.numbers;
  std::optional<ReadyProgram> program = make_ready(session, with_numbers, backend_options);
  if (!program) return kUserError;
  // A file may be meant for several back ends, but what was typed must exist.
  const std::vector<core::TuningParam> params = program->backend->params();
  for (const auto& [name, number] : *chosen)
    if (!with_numbers.compile.numbers.contains(name) &&
        std::ranges::find(params, name, &core::TuningParam::name) == params.end())
      return fail(
          fmt::format("there is no tuning parameter `{}` here; `skald dump --params {}` lists them",
                      name, options.file));
  const int status = call_entry(session, options, *program);
  program->keep();
  end_process(status);
  return status;
}

}  // namespace skald::driver
