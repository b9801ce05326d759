// SPDX-License-Identifier: Apache-2.0
// skald: the command line.  Each command has its own file; see commands.h.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "compile/registry/backends.h"
#include "driver/commands.h"
#include "driver/session.h"
#include "support/bug.h"

namespace skald::driver {

namespace {

const compile::Backend* backend_from_name(const std::string& name) {
  if (const compile::Backend* found = compile::find_backend(name)) return found;
  throw CLI::ValidationError("--backend", fmt::format("there is no back end `{}`; choose {}", name,
                                                      compile::backend_names()));
}

CLI::Validator number_check(bool zero_too, const char* what) {
  return CLI::Validator(
      [zero_too, what](const std::string& text) -> std::string {
        double number = 0;
        if (CLI::detail::lexical_cast(text, number) && (number > 0 || (zero_too && number == 0)))
          return {};
        return fmt::format("`{}` is not a number {}", text, what);
      },
      "");
}
CLI::Validator positive() {
  return number_check(false, "above 0");
}
CLI::Validator not_negative() {
  return number_check(true, "of at least 0");
}

// A mistake in the call, in the form of all other messages.
std::string call_failure(const CLI::App* app, const CLI::Error& problem) {
  const CLI::App* command = app;
  for (const CLI::App* chosen : app->get_subcommands()) command = chosen;
  const std::string name = command == app ? "skald" : "skald " + command->get_name();
  return fmt::format("error: {}\n`{} --help` says what is possible.\n", problem.what(), name);
}

// Everything the command line can say.
struct Arguments {
  CommonOptions common;
  bool no_warnings = false;
  CheckOptions check;
  RunOptions run;
  TestOptions test;
  DumpOptions dump;
  BuildOptions build;
  CacheOptions cache;
  std::string code;
};

void add_common(CLI::App* command, Arguments& args) {
  command
      ->add_option_function<std::string>(
          "--diagnostics",
          [&args](const std::string& form) { args.common.json_diagnostics = form == "json"; },
          "How errors are shown: text or json (one object per line)")
      ->check(CLI::IsMember({"text", "json"}));
  command->add_flag("-w", args.no_warnings, "No warnings");
  command->add_flag("--Werror", args.common.warnings_are_errors, "Warnings are errors");
  command->add_flag("-v,--verbose", args.common.verbose, "Say more");
  command->add_flag("--safe", args.common.safe, "Ignore #[unsafe]");
}

void add_compile(CLI::App* command, CompileOptions& options) {
  command->add_flag("--verify", options.verify, "Check the program after every pass");
  command->add_option("--disable", options.disabled, "Leave out a pass")
      ->type_name("PASS")
      ->allow_extra_args(false);
  command->add_option("--explain", options.explain, "Let a pass say what it did and did not do")
      ->type_name("PASS")
      ->allow_extra_args(false);
  command->add_option("--limit", options.limits, "Stop a pass after N rewrites")
      ->type_name("PASS:N")
      ->allow_extra_args(false);
}

void add_interpret(CLI::App* command, InterpretAt& interpret) {
  command
      ->add_option("--stage", interpret.stage,
                   "soacs, kernels, memory or imp: how far to compile what the interpreter runs")
      ->check(CLI::IsMember({"soacs", "kernels", "memory", "imp"}));
  command
      ->add_option("--device", interpret.device,
                   "What --stage compiles for: cpu or gpu (default: cpu)")
      ->check(CLI::IsMember({"cpu", "gpu"}));
}

void add_check(CLI::App& app, Arguments& args) {
  CLI::App* command = app.add_subcommand("check", "Check programs without running them");
  command->add_option("FILE", args.check.files, "Programs (.fut, .core)")->required();
  add_common(command, args);
}

void add_run(CLI::App& app, Arguments& args) {
  CLI::App* command =
      app.add_subcommand("run", "Compile in memory and run; values come from stdin");
  RunOptions& run = args.run;
  run.backend = &compile::default_backend();
  command->add_option("FILE", run.file, "The program")->required();
  command->add_option_function<std::string>(
      "--backend", [&run](const std::string& name) { run.backend = backend_from_name(name); },
      compile::backend_names());
  command->add_option("-e,--entry,--entry-point", run.entry, "The entry point (default: main)");
  command->add_flag("-b,--binary-output", run.binary_output, "Write results in the binary format");
  command->add_flag_function(
      "-n,--no-print-result", [&run](int64_t) { run.print_result = false; },
      "Do not print the results");
  command->add_option("-t,--write-runtime-to", run.runtime_file,
                      "Write the time of each run, in microseconds");
  command->add_option("-r,--runs", run.runs, "Run N times after one warm-up")->check(positive());
  command->add_option("--num-threads", run.threads, "Threads (default: all cores)")
      ->check(not_negative());
  command->add_option("--param", run.params, "Choose a tuning parameter")
      ->type_name("NAME=INT")
      ->allow_extra_args(false);
  command->add_option("--tuning", run.tuning_file, "Choose tuning parameters: lines NAME=INT")
      ->type_name("FILE");
  command->add_flag_function(
      "--no-cache", [&run](int64_t) { run.cache = false; },
      "Compile, even if the compiled program is in the cache; keep nothing");
  add_interpret(command, run.interpret);
  add_compile(command, run.compile);
  add_common(command, args);
}

// Options of `futhark test` that mean nothing here, so that nobody wonders why they do nothing.
void add_foreign_options(CLI::App* command) {
  const std::pair<const char*, const char*> options[] = {
      {"-p,--pass-option", "programs run inside skald; choose parameters with --param"},
      {"--pass-compiler-option", "give the option to skald test itself"},
      {"--runner", "programs run inside skald"},
      {"--futhark", "skald tests with itself"},
      {"--cache-extension", "nothing is cached"}};
  for (const auto& [name, why] : options)
    command
        ->add_option_function<std::string>(
            name,
            [name = std::string(name), why = std::string(why)](const std::string&) {
              throw CLI::ValidationError(
                  fmt::format("{} is not supported: {}", name.substr(name.find("--")), why));
            })
        ->group("");
}

void add_test(CLI::App& app, Arguments& args) {
  CLI::App* command = app.add_subcommand("test", "Run the test blocks of programs");
  TestOptions& test = args.test;
  command->add_option("PATH", test.paths, "Programs, or folders of programs")->required();
  command
      ->add_option_function<std::vector<std::string>>(
          "--backend",
          [&test](const std::vector<std::string>& names) {
            for (const std::string& name : names) test.backends.push_back(backend_from_name(name));
          },
          compile::backend_names() + "; several by repeating the option")
      ->allow_extra_args(false);
  const auto backend = [&test](const compile::Backend* kind) {
    return [&test, kind](int64_t) { test.backends.push_back(kind); };
  };
  command->add_flag_function("-i", backend(&compile::reference_backend()),
                             "Same as --backend=interp");
  command->add_flag_function("-c", backend(&compile::default_backend()),
                             "With the default back end (what happens anyway)");
  const auto mode = [&test](TestMode chosen) {
    return [&test, chosen](int64_t) { test.mode = chosen; };
  };
  command->add_flag_function("-C", mode(TestMode::kCompile), "Only compile");
  command->add_flag_function("-I", mode(TestMode::kElaborate), "Only up to the core language");
  command->add_flag_function("-t", mode(TestMode::kCheck), "Only check types");
  command->add_flag_function("-s", mode(TestMode::kStructure), "Only the structure blocks");
  command
      ->add_option("--num-threads", test.threads,
                   "Threads of the cpu back end (default: all cores)")
      ->check(not_negative());
  command->add_option("--exclude", test.excluded_tags, "Skip programs and cases with this tag")
      ->type_name("TAG")
      ->allow_extra_args(false);
  command->add_option("--tuning", test.tuning_extension,
                      "Extension of tuning files (default: tuning, as in x.fut.tuning)");
  command->add_flag_function(
      "--no-tuning", [&test](int64_t) { test.tuning_extension.clear(); },
      "Do not look for tuning files");
  command->add_option("--param", test.params, "Choose a tuning parameter")
      ->type_name("NAME=INT")
      ->allow_extra_args(false);
  command->add_flag_function(
      "--no-terminal", [&test](int64_t) { test.progress = false; }, "No line of progress");
  add_foreign_options(command);
  command->add_option("-j,--concurrency", test.jobs, "Programs tested at the same time")
      ->check(not_negative());
  command->add_option("--time-limit", test.time_limit, "Seconds for one program")
      ->check(positive());
  command->add_option("-e,--entry,--entry-point", test.entry, "Only the cases of this entry point");
  command->add_option("-n,--num-tests", test.property_tests, "Candidates for each property")
      ->check(positive());
  command->add_option("-m,--max-size", test.property_size, "Size of the candidates")
      ->check(not_negative());
  command->add_option("--seed", test.seed,
                      "Seed of the candidates (default: a new one every time)");
  add_interpret(command, test.interpret);
  add_compile(command, test.compile);
  add_common(command, args);
}

void add_dump(CLI::App& app, Arguments& args) {
  CLI::App* command = app.add_subcommand("dump", "Print a program at any point of its way");
  DumpOptions& dump = args.dump;
  command->add_option("FILE", dump.file, "The program (.fut, .core, .imp)");
  command->add_option("--stage", dump.stage,
                      "ast, soacs, kernels, memory or imp; without it: as the front end made it");
  command->add_option("--after", dump.after, "Stop after this pass")->type_name("PASS");
  command->add_option("--passes", dump.passes, "Run exactly these passes")
      ->delimiter(',')
      ->allow_extra_args(false);
  std::vector<std::string> emits;
  std::string meanings;
  for (const compile::Backend* backend : compile::backends())
    for (const compile::Emit& emit : backend->emits) {
      emits.emplace_back(emit.name);
      meanings +=
          fmt::format("{}{} ({})", meanings.empty() ? "" : ", ", emit.name, emit.description);
    }
  command->add_option("--emit", dump.emit, meanings)->check(CLI::IsMember(emits));
  command
      ->add_option("--device", dump.device,
                   "What to compile for: cpu or gpu (default: gpu for device-imp and cl)")
      ->check(CLI::IsMember({"cpu", "gpu"}));
  command->add_flag("--renumber", dump.renumber, "Number names from zero");
  command->add_flag("--locs", dump.locs, "Show the source place of every statement");
  command->add_flag("--list-passes", dump.list_passes, "List the passes");
  command->add_flag("--list-strategies", dump.list_strategies,
                    "List the ways that kernels are lowered by");
  command->add_flag("--params", dump.params, "List the tuning parameters: NAME (CLASS)");
  command->add_option("--param", dump.choices, "Choose a number of the device")
      ->type_name("NAME=INT")
      ->allow_extra_args(false);
  command->add_flag("--stats", dump.stats,
                    "Count kernels, bytes read and written, and arrays, per entry point");
  command->add_flag("--times", dump.times, "Print how long each pass took");
  command->add_option("--check-equal", dump.check_equal,
                      "Interpret this program too, on random data, and compare");
  add_compile(command, dump.compile);
  add_common(command, args);
}

void add_build(CLI::App& app, Arguments& args) {
  CLI::App* command = app.add_subcommand(
      "build", "Write object code with a C header and a manifest, for a host program to link");
  BuildOptions& build = args.build;
  command->add_option("FILE", build.file, "The program (.fut, .core)")->required();
  command->add_option_function<std::string>(
      "--backend", [&build](const std::string& name) { build.backend = backend_from_name(name); },
      "cpu");
  command->add_option("-o,--output", build.output,
                      "OUT makes OUT.o, OUT.h and OUT.json (default: as the program)");
  command->add_flag_function(
      "--library", [](int64_t) {}, "Object code and header (what happens anyway)");
  for (const char* other : {"--executable", "--server"})
    command->add_flag_function(
        other,
        [other](int64_t) {
          throw CLI::ValidationError(
              fmt::format("{} is not supported yet: link OUT.o into a host program", other));
        },
        "Not supported yet");
  command->add_option("--param", build.choices, "Choose a number of the device")
      ->type_name("NAME=INT")
      ->allow_extra_args(false);
  command->add_option("--tuning", build.tuning_file, "Choose such numbers: lines NAME=INT")
      ->type_name("FILE");
  add_compile(command, build.compile);
  add_common(command, args);
}

void add_cache(CLI::App& app, Arguments& args) {
  CLI::App* command =
      app.add_subcommand("cache", "Say how much compiled code is kept on disk, or delete it");
  command->add_flag("--clear", args.cache.clear, "Delete it");
  command->footer(
      "The folder is $SKALD_CACHE_DIR, else $XDG_CACHE_HOME/skald, else ~/.cache/skald.\n"
      "SKALD_CACHE=off turns the cache off; SKALD_CACHE_LIMIT=200M limits its size.");
  add_common(command, args);
}

int dispatch(CLI::App& app, Arguments& args) {
  args.common.warnings = !args.no_warnings;
  for (CompileOptions* compile : {&args.run.compile, &args.test.compile, &args.dump.compile})
    compile->report_limits = args.common.verbose;
  args.common.colour = ::isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  if (app.got_subcommand("check")) return run_check(args.common, args.check);
  if (app.got_subcommand("run")) return run_run(args.common, args.run);
  if (app.got_subcommand("test")) return run_test(args.common, args.test);
  if (app.got_subcommand("dump")) return run_dump(args.common, args.dump);
  if (app.got_subcommand("build")) return run_build(args.common, args.build);
  if (app.got_subcommand("cache")) return run_cache(args.common, args.cache);
  return run_explain(args.common, args.code);
}

int main_with_arguments(int argc, char** argv) {
  CLI::App app("Skald compiles data-parallel array programs.", "skald");
  app.require_subcommand(1);
  app.failure_message(call_failure);
  app.set_version_flag("--version", "skald " SKALD_VERSION);
  app.footer(
      "`skald COMMAND --help` says more.  Exit codes: 0 fine, 2 a problem with the program, its "
      "data or the call, 1 a bug of ours.");
  Arguments args;
  add_check(app, args);
  add_run(app, args);
  add_test(app, args);
  add_dump(app, args);
  add_build(app, args);
  add_cache(app, args);
  CLI::App* explain = app.add_subcommand("explain", "Explain a diagnostic");
  explain->add_option("CODE", args.code,
                      "The code in brackets after `error`; without it: list them");
  add_common(explain, args);
  const std::vector<std::string_view> commands = {"check", "run",   "test",   "build",
                                                  "dump",  "cache", "explain"};
  if (argc > 1 && argv[1][0] != '-' && std::ranges::count(commands, argv[1]) == 0) {
    Session(args.common)
        .error(fmt::format("there is no command `{}`; the commands are check, run, test, build, "
                           "dump, cache and explain",
                           argv[1]));
    return kUserError;
  }
  // With one dash it would be five options.
  static char werror[] = "--Werror";
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "-Werror") argv[i] = werror;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? kOk : kUserError;
  }
  return dispatch(app, args);
}

}  // namespace

}  // namespace skald::driver

int main(int argc, char** argv) {
  using namespace skald;
  try {
    return driver::main_with_arguments(argc, argv);
  } catch (const InternalError& bug) {
    std::fprintf(
        stderr,
        "internal error: %s\n"
        "This is a bug in Skald, not in your program.  Please report it with the program, the "
        "command\n"
        "line and this message; `skald dump --verify --stage=memory FILE` may narrow it down.\n",
        bug.what());
    return driver::kInternalError;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "error: out of memory\n");
    return driver::kUserError;
  } catch (const std::exception& bug) {
    std::fprintf(
        stderr,
        "internal error: %s\nThis is a bug in Skald, not in your program.  Please report it.\n",
        bug.what());
    return driver::kInternalError;
  }
}
