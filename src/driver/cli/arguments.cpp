// SPDX-License-Identifier: Apache-2.0
#include "driver/cli/arguments.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "compile/registry/backends.h"
#include "support/nearest.h"

namespace skald::driver {

namespace {

constexpr const char* kCompilerGroup = "For work on the compiler";

// The option takes one of these words.
void choose_from(Arguments& args, CLI::Option* option, std::vector<std::string> words) {
  args.choices[option] = words;
  option->type_name(fmt::format("{}", fmt::join(words, "|")));
  option->check(CLI::Validator(
      [words = std::move(words)](const std::string& text) -> std::string {
        if (std::ranges::find(words, text) != words.end()) return {};
        const std::vector<std::string> near = nearest(text, words);
        return fmt::format("`{}` is not possible here; choose {}", text,
                           one_of(near.empty() ? words : near));
      },
      ""));
}

std::vector<std::string> backend_words() {
  std::vector<std::string> names;
  for (const compile::Backend* backend : compile::backends()) names.emplace_back(backend->name);
  return names;
}

void add_backend(CLI::App* command, Arguments& args, const compile::Backend*& chosen,
                 const std::string& text) {
  choose_from(
      args,
      command->add_option_function<std::string>(
          "--backend", [&chosen](const std::string& name) { chosen = compile::find_backend(name); },
          text),
      backend_words());
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

// For all commands.
void add_common(CLI::App* command, Arguments& args) {
  choose_from(
      args,
      command->add_option_function<std::string>(
          "--diagnostics",
          [&args](const std::string& form) { args.common.json_diagnostics = form == "json"; },
          "How errors are shown; json: one object per line"),
      {"text", "json"});
  choose_from(args,
              command->add_option("--color,--colour", args.color,
                                  "Colours in messages; auto obeys NO_COLOR and TERM=dumb"),
              {"auto", "always", "never"});
}

// For those that read a program.
void add_program_options(CLI::App* command, Arguments& args) {
  add_common(command, args);
  command->add_flag("-w", args.no_warnings, "No warnings");
  command->add_flag("--Werror", args.common.warnings_are_errors, "Warnings are errors");
  command->add_flag("--safe", args.common.safe, "Ignore #[unsafe]");
  command->add_flag("-v,--verbose", args.common.verbose, "Say more");
}

void add_compile(CLI::App* command, CompileOptions& options) {
  command->add_flag("--exact", options.exact,
                    "On devices, round every operation on floats, as other back ends do");
  command->add_flag("--verify", options.verify, "Check the program after every pass")
      ->group(kCompilerGroup);
  command->add_option("--disable", options.disabled, "Leave out a pass")
      ->type_name("PASS")
      ->allow_extra_args(false)
      ->group(kCompilerGroup);
  command->add_option("--explain", options.explain, "Let a pass say what it did and did not do")
      ->type_name("PASS")
      ->allow_extra_args(false)
      ->group(kCompilerGroup);
  command->add_option("--limit", options.limits, "Stop a pass after N rewrites")
      ->type_name("PASS:N")
      ->allow_extra_args(false)
      ->group(kCompilerGroup);
}

void add_interpret(CLI::App* command, Arguments& args, InterpretAt& interpret) {
  choose_from(
      args,
      command
          ->add_option("--stage", interpret.stage, "How far to compile what the interpreter runs")
          ->group(kCompilerGroup),
      {"soacs", "kernels", "memory", "imp"});
  choose_from(
      args,
      command->add_option("--device", interpret.device, "What --stage compiles for (default: cpu)")
          ->group(kCompilerGroup),
      {"cpu", "gpu"});
}

void add_limits(CLI::App* command, compile::Limits& limits) {
  const auto size = [command](const char* name, int64_t& bytes, const char* description) {
    command
        ->add_option_function<uint64_t>(
            name,
            [&bytes](uint64_t number) {
              bytes = static_cast<int64_t>(std::min<uint64_t>(number, INT64_MAX));
            },
            description)
        ->transform(CLI::AsSizeValue(false))
        ->check(positive())
        ->type_name("SIZE");
  };
  size("--max-memory", limits.memory,
       "Stop a call whose arrays need more bytes; SIZE may end in K, M or G");
  size("--max-stack", limits.stack,
       "Stop a call whose recursive functions need more bytes of the stack");
  command->add_option("--max-time", limits.seconds, "Stop a call after so many seconds")
      ->check(positive())
      ->type_name("SECONDS");
}

void add_check(CLI::App& app, Arguments& args) {
  CLI::App* command = app.add_subcommand("check", "Check programs without running them");
  command->add_option("FILE", args.check.files, "Programs (.fut, .nesl, .core)")
      ->type_name("")
      ->required();
  add_program_options(command, args);
}

void add_run(CLI::App& app, Arguments& args) {
  CLI::App* command =
      app.add_subcommand("run", "Compile in memory and run; values come from stdin");
  RunOptions& run = args.run;
  run.backend = &compile::default_backend();
  command->add_option("FILE", run.file, "The program")->type_name("")->required();
  add_backend(command, args, run.backend,
              fmt::format("Where it runs (default: {})", compile::default_backend().name));
  command
      ->add_option("-e,--entry,--entry-point", run.entry,
                   "The entry point (default: main; of a NESL program all its forms)")
      ->type_name("NAME");
  command->add_flag("-b,--binary-output", run.binary_output, "Write results in the binary format");
  command->add_flag("-f,--force", run.force, "Write binary results even to a terminal");
  command->add_flag_function(
      "-n,--no-print-result", [&run](int64_t) { run.print_result = false; },
      "Do not print the results");
  command
      ->add_option("-t,--write-runtime-to", run.runtime_file,
                   "Write the time of each run, in microseconds")
      ->type_name("FILE");
  command->add_option("-r,--runs", run.runs, "Run N times after one warm-up")->check(positive());
  command->add_option("--num-threads", run.threads, "Threads (default: all cores)")
      ->check(not_negative());
  command->add_option("--param", run.params, "Choose a tuning parameter")
      ->type_name("NAME=INT")
      ->allow_extra_args(false);
  command->add_option("--tuning", run.tuning_file, "Choose tuning parameters: lines NAME=INT")
      ->type_name("FILE");
  command
      ->add_option("--tune", run.tune_file,
                   "Time the versions of nests on this input and keep the fastest in FILE; if FILE "
                   "is there, use it")
      ->type_name("FILE");
  command->add_flag_function(
      "--no-cache", [&run](int64_t) { run.cache = false; },
      "Compile, even if the compiled program is in the cache; keep nothing");
  add_limits(command, run.limits);
  add_interpret(command, args, run.interpret);
  add_compile(command, run.compile);
  add_program_options(command, args);
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
  command->add_option("PATH", test.paths, "Programs, or folders of programs")
      ->type_name("")
      ->required();
  choose_from(args,
              command
                  ->add_option_function<std::vector<std::string>>(
                      "--backend",
                      [&test](const std::vector<std::string>& names) {
                        for (const std::string& name : names)
                          test.backends.push_back(compile::find_backend(name));
                      },
                      "Where it runs; several by repeating the option")
                  ->allow_extra_args(false),
              backend_words());
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
  command
      ->add_option("--together", test.together,
                   "Programs that share a process (default: 1; 64 where starting takes long)")
      ->check(not_negative());
  command->add_option("--time-limit", test.time_limit, "Seconds for one program")
      ->check(positive());
  command
      ->add_option("--start-until", test.start_until,
                   "Start no program after this time, as `date +%s` prints it; in random order")
      ->type_name("SECONDS")
      ->check(positive())
      ->envname("SKALD_TEST_UNTIL");
  add_limits(command, test.limits);
  command->add_option("-e,--entry,--entry-point", test.entry, "Only the cases of this entry point");
  command->add_option("-n,--num-tests", test.property_tests, "Candidates for each property")
      ->check(positive());
  command->add_option("-m,--max-size", test.property_size, "Size of the candidates")
      ->check(not_negative());
  command->add_option("--seed", test.seed,
                      "Seed of the candidates (default: a new one every time)");
  add_interpret(command, args, test.interpret);
  add_compile(command, test.compile);
  add_program_options(command, args);
}

void add_dump(CLI::App& app, Arguments& args) {
  CLI::App* command = app.add_subcommand("dump", "Print a program at any point of its way");
  DumpOptions& dump = args.dump;
  command->add_option("FILE", dump.file, "The program (.fut, .nesl, .core, .imp)")->type_name("");
  choose_from(args,
              command->add_option("--stage", dump.stage,
                                  "How far to compile; without it: as the front end made it"),
              {"ast", "soacs", "kernels", "memory", "imp"});
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
  choose_from(args, command->add_option("--emit", dump.emit, meanings), emits);
  choose_from(args,
              command->add_option("--device", dump.device,
                                  "What to compile for (default: gpu for device-imp and cl)"),
              {"cpu", "gpu"});
  command->add_flag("--renumber", dump.renumber, "Number names from zero");
  command->add_flag("--locs", dump.locs, "Show the source place of every statement");
  command->add_flag("--annotate", dump.annotate,
                    "Say in imp and in the text of kernels where their loops are in the source");
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
  add_program_options(command, args);
}

void add_build(CLI::App& app, Arguments& args) {
  CLI::App* command = app.add_subcommand(
      "build", "Write object code with a C header and a manifest, for a host program to link");
  BuildOptions& build = args.build;
  command->add_option("FILE", build.file, "The program (.fut, .nesl, .core)")
      ->type_name("")
      ->required();
  add_backend(command, args, build.backend, "For what; object code is for cpu");
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
  add_program_options(command, args);
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

void add_device(CLI::App& app, Arguments& args) {
  CLI::App* command = app.add_subcommand(
      "device", "Show the processor and the devices of this machine, as the compiler sees them");
  command
      ->add_option("NAME", args.device.name,
                   "A back end (cpu, opencl, cuda), a part of a name, or both, as in cuda:H200")
      ->type_name("");
  command->add_flag("--measure", args.device.measure,
                    "Measure how fast memory is and how long launches take (about a second), and "
                    "keep that");
  command->add_flag("--calibrate", args.device.calibrate,
                    "Run histograms in all ways, and keep what they cost for the choice between "
                    "them (half a minute for each device)");
  command->add_flag("--quick", args.device.quick,
                    "With --calibrate: seconds, and times that are less exact");
  command
      ->add_option("--html", args.device.html,
                   "With --calibrate: write a plot of predicted and measured times")
      ->type_name("FILE");
  command->add_flag("--json", args.device.json, "Print JSON");
  command->footer(
      "What is measured is kept in the folder of `skald cache`; compiling never measures.");
  add_common(command, args);
}

void add_explain(CLI::App& app, Arguments& args) {
  CLI::App* command = app.add_subcommand("explain", "Explain a diagnostic");
  command
      ->add_option("CODE", args.code, "The code in brackets after `error`; without it: list them")
      ->type_name("");
  add_common(command, args);
}

// About the command line itself.
void add_help(CLI::App& app, Arguments& args) {
  CLI::App* help = app.add_subcommand("help", "Say what a command does, and its options");
  help->add_option("COMMAND", args.topic, "The command; without it: all of them")->type_name("");
  CLI::App* completions =
      app.add_subcommand("completions", "Print what a shell needs to complete commands");
  choose_from(args, completions->add_option("SHELL", args.shell, "bash, zsh or fish")->required(),
              {"bash", "zsh", "fish"});
  completions->footer(
      "For bash: skald completions bash > ~/.local/share/bash-completion/completions/skald");
  app.add_subcommand("manual", "Print the manual page, for man -l");
}

}  // namespace

void add_commands(CLI::App& app, Arguments& args, std::string_view first) {
  struct Command {
    std::string_view name;
    void (*add)(CLI::App&, Arguments&);
  };
  constexpr Command kCommands[] = {
      {"check", add_check}, {"run", add_run},     {"test", add_test},     {"build", add_build},
      {"dump", add_dump},   {"cache", add_cache}, {"device", add_device}, {"explain", add_explain},
  };
  app.set_help_flag("-h,--help", "Print this help");
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->label("Positionals", "Arguments");
  const auto* chosen = std::ranges::find(kCommands, first, &Command::name);
  if (chosen != std::end(kCommands)) {
    chosen->add(app, args);
  } else {
    for (const Command& command : kCommands) command.add(app, args);
    add_help(app, args);
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    command->group("Commands");
}

}  // namespace skald::driver
