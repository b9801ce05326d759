// SPDX-License-Identifier: Apache-2.0
// skald: the command line.  Each command has its own file; see commands.h.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>

#include "driver/cli/arguments.h"
#include "driver/cli/description.h"
#include "driver/cli/mistakes.h"
#include "driver/commands.h"
#include "driver/session.h"
#include "support/bug.h"
#include "support/stack.h"

namespace skald::driver {

namespace {

// Colours only where they can be seen and are wanted (no-color.org).
bool wants_colour(const std::string& choice) {
  if (choice != "auto") return choice == "always";
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

int show_help(const CLI::App& app, const Arguments& args) {
  if (args.topic.empty()) {
    std::fputs(app.help().c_str(), stdout);
    return kOk;
  }
  for (const CLI::App* command : offered_commands(app))
    if (command->get_name() == args.topic) {
      std::fputs(command->help("skald").c_str(), stdout);
      return kOk;
    }
  Session(args.common).error(unknown_command(app, args.topic));
  return kUserError;
}

int show_completions(const CLI::App& app, const Arguments& args) {
  const std::string text = args.shell == "bash"  ? bash_completions(app, args)
                           : args.shell == "zsh" ? zsh_completions(app, args)
                                                 : fish_completions(app, args);
  std::fputs(text.c_str(), stdout);
  return kOk;
}

int dispatch(CLI::App& app, Arguments& args) {
  args.common.warnings = !args.no_warnings;
  for (CompileOptions* compile : {&args.run.compile, &args.test.compile, &args.dump.compile})
    compile->report_limits = args.common.verbose;
  args.common.colour = wants_colour(args.color);
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const std::string command = chosen.empty() ? std::string() : chosen[0]->get_name();
  if (command == "check") return run_check(args.common, args.check);
  if (command == "run") return run_run(args.common, args.run);
  if (command == "test") return run_test(args.common, args.test);
  if (command == "dump") return run_dump(args.common, args.dump);
  if (command == "build") return run_build(args.common, args.build);
  if (command == "cache") return run_cache(args.common, args.cache);
  if (command == "device") return run_device(args.common, args.device);
  if (command == "explain") return run_explain(args.common, args.code);
  if (command == "completions") return show_completions(app, args);
  if (command == "manual") {
    std::fputs(manual_page(app).c_str(), stdout);
    return kOk;
  }
  return show_help(app, args);
}

int main_with_arguments(int argc, char** argv) {
  CLI::App app("Skald compiles and runs data-parallel array programs.", "skald");
  app.require_subcommand(0, 1);
  app.failure_message(call_failure);
  app.set_version_flag("-V,--version", "skald " SKALD_VERSION, "Print the version");
  Arguments args;
  add_commands(app, args, argc > 1 ? argv[1] : "");
  app.footer(
      "`skald help COMMAND` says more.\n\n"
      "Exit codes:\n"
      "  0  fine\n"
      "  1  a bug of Skald\n"
      "  2  a problem with the program, its data, the call, or where the output goes");
  if (argc > 1 && argv[1][0] != '-') {
    const std::vector<const CLI::App*> commands = offered_commands(app);
    if (std::ranges::find(commands, argv[1], &CLI::App::get_name) == commands.end()) {
      Session(args.common).error(unknown_command(app, argv[1]));
      return kUserError;
    }
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

// What was printed must have arrived: a full disk or a reader that has gone is a failure.
int with_output(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  std::fprintf(stderr, "error: cannot write the output: %s\n", std::strerror(errno));
  return status == kOk ? kUserError : status;
}

// Memory is scarce here, so the text is short.
std::string out_of_memory_hint() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    return fmt::format("  = try:  raise the limit on memory, which is {} MB (`ulimit -v`)",
                       limit.rlim_cur >> 20);
  return "  = try:  close other programs, use a machine with more memory, or a smaller program";
}

}  // namespace

}  // namespace skald::driver

int main(int argc, char** argv) {
  using namespace skald;
  try {
    // Writing to a pipe that nobody reads is an error like others, not the end of the process.
    std::signal(SIGPIPE, SIG_IGN);
    report_full_stacks();
    // Programs are as deep as users write them, and everything that walks over them is recursive.
    int status = driver::kOk;
    on_large_stack([&] { status = driver::main_with_arguments(argc, argv); });
    return driver::with_output(status);
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
    std::fprintf(stderr, "error: out of memory\n%s\n", driver::out_of_memory_hint().c_str());
    return driver::kUserError;
  } catch (const std::system_error& problem) {
    std::fprintf(stderr, "error: %s\n", problem.what());
    return driver::kUserError;
  } catch (const std::exception& bug) {
    std::fprintf(
        stderr,
        "internal error: %s\nThis is a bug in Skald, not in your program.  Please report it.\n",
        bug.what());
    return driver::kInternalError;
  }
}
