// SPDX-License-Identifier: Apache-2.0
#include "driver/test/run_program.h"

#include <unistd.h>

#include "compile/program/host_program.h"
#include "compile/registry/backends.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "driver/pass_options.h"
#include "driver/session.h"
#include "driver/test/case_values.h"
#include "driver/test/pattern.h"
#include "driver/test/property.h"
#include "driver/test/spec.h"
#include "driver/tuning.h"
#include "runtime/values/compare.h"
#include "runtime/values/value_writer.h"

namespace skald::driver {

using runtime::Value;

namespace {

constexpr size_t kShownCharacters = 400;

std::string folder_of(const std::string& file) {
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

std::string shown(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values)
    text += "      " + runtime::value_text(value, kShownCharacters) + "\n";
  return text;
}

// The words of all diagnostics, without the drawing, for regular expressions to match.
std::string plain_text(const source::Diagnostics& diagnostics, const source::SourceMap& sources) {
  std::string text;
  for (const source::Diagnostic& d : diagnostics.all()) {
    if (!d.labels.empty())
      text += fmt::format("Error at {}:\n", sources.describe(d.labels[0].span));
    text += d.what + "\n";
    for (const source::Label& label : d.labels) text += label.text + "\n";
    text += d.why + "\n" + d.hint + "\n" + d.code + "\n";
  }
  return text;
}

// Tests may expect warnings, so they are always looked for.
CommonOptions with_warnings(CommonOptions common) {
  common.warnings = true;
  return common;
}

class ProgramTests {
 public:
  ProgramTests(const std::string& file, const compile::Backend& backend,
               const CommonOptions& common, const TestOptions& options,
               std::shared_ptr<compile::Engine>* held,
               const std::function<void(CaseReport)>& report)
      : file_(file),
        backend_(backend),
        options_(options),
        held_(held),
        report_(report),
        session_(with_warnings(common)) {}

  void run() {
    const Result<source::FileId> loaded = session_.sources().load(file_);
    if (!loaded) return report_({CaseReport::kFailed, "read", loaded.error()});
    const Result<TestSpec> spec = parse_test_spec(session_.sources().file(*loaded).text());
    if (!spec) return report_({CaseReport::kFailed, "test block", spec.error()});
    if (skipped_here(spec->tags))
      return report_({CaseReport::kSkipped, "program", "excluded by its tags"});
    if (spec->compile_error) {
      if (options_.mode != TestMode::kStructure) expect_rejection(*spec->compile_error);
      return;
    }
    if (options_.mode == TestMode::kCheck) return only_check(*spec);
    prog_ = session_.load(file_);
    if (!prog_) return report_({CaseReport::kFailed, "compile", session_.drawn()});
    if (options_.mode == TestMode::kStructure) return check_structure(*spec);
    for (const std::string& warning : spec->warnings) expect_warning(warning);
    if (options_.mode == TestMode::kElaborate)
      return report_({CaseReport::kPassed, "elaborate", ""});
    if (!compile()) return;
    if (options_.mode == TestMode::kCompile) return report_({CaseReport::kPassed, "compile", ""});
    check_structure(*spec);
    for (const TestGroup& group : spec->groups)
      for (const std::string& entry : group.entries)
        if (options_.entry.empty() || options_.entry == entry)
          for (const TestCase& test : group.cases) run_case(entry, test);
    for (const std::string& name : spec->properties)
      if (options_.entry.empty() || options_.entry == name)
        report_(test_property(*prog_, *compiled_, name, options_));
    if (spec->groups.empty() && spec->properties.empty())
      report_({CaseReport::kPassed, "compile", ""});
  }

 private:
  bool skipped_here(const std::vector<std::string>& tags) const {
    if (has_tag(tags, "disable") || has_tag(tags, "notest")) return true;
    for (const std::string& tag : options_.excluded_tags)
      if (has_tag(tags, tag)) return true;
    if (backend_.is_interpreter && has_tag(tags, "compiled")) return true;
    return has_tag(tags, fmt::format("no_{}", backend_.name));
  }

  void only_check(const TestSpec& spec) {
    // Some warnings come with elaboration.
    const bool right =
        spec.warnings.empty() ? session_.check(file_) : session_.load(file_).has_value();
    if (!right) return report_({CaseReport::kFailed, "check", session_.drawn()});
    for (const std::string& warning : spec.warnings) expect_warning(warning);
    report_({CaseReport::kPassed, "check", ""});
  }

  void expect_rejection(const std::string& pattern) {
    if (session_.check(file_))
      return report_(
          {CaseReport::kFailed, "compile", "the program should be rejected, but it compiles"});
    const std::string text = plain_text(session_.diagnostics(), session_.sources());
    const Result<bool> matches = matches_pattern(pattern, text);
    if (!matches) return report_({CaseReport::kFailed, "compile", matches.error()});
    if (*matches) return report_({CaseReport::kPassed, "compile", ""});
    report_({CaseReport::kFailed, "compile",
             fmt::format("the message does not match `{}`:\n{}", pattern, session_.drawn())});
  }

  void expect_warning(const std::string& pattern) {
    const Result<bool> matches =
        matches_pattern(pattern, plain_text(session_.diagnostics(), session_.sources()));
    if (matches && *matches) return report_({CaseReport::kPassed, "warning", ""});
    report_({CaseReport::kFailed, "warning",
             matches ? fmt::format("no warning matches `{}`", pattern) : matches.error()});
  }

  bool compile() {
    compile::EngineOptions engine_options;
    engine_options.threads = options_.threads;
    engine_options.limits = options_.limits;
    compile::ProgramOptions program_options;
    const Result<passes::PassOptions> pass_options = make_pass_options(options_.compile);
    if (!pass_options) {
      report_({CaseReport::kFailed, "compile", pass_options.error()});
      return false;
    }
    program_options.passes = *pass_options;
    if (const Result<Unit> at = choose_stage(options_.interpret, backend_, program_options); !at) {
      report_({CaseReport::kFailed, "compile", at.error()});
      return false;
    }
    if (const Result<Unit> tuned = tune(program_options.tuning); !tuned) {
      report_({CaseReport::kFailed, "tuning", tuned.error()});
      return false;
    }
    tuning_ = program_options.tuning;
    program_options.passes.numbers = device_choices(tuning_);
    if (held_ != nullptr && *held_ == nullptr)
      if (Result<std::shared_ptr<compile::Engine>> engine = backend_.open(engine_options); engine)
        *held_ = std::move(*engine);
    Result<std::unique_ptr<compile::HostProgram>> compiled =
        compile::HostProgram::make(backend_, *prog_, engine_options, program_options);
    if (!compiled) report_({CaseReport::kFailed, "compile", compiled.error()});
    if (compiled) compiled_ = std::move(*compiled);
    return compiled_ != nullptr;
  }

  // The program's tuning file, if there is one; what was typed wins.
  Result<Unit> tune(core::Tuning& tuning) const {
    const std::string path = fmt::format("{}.{}", file_, options_.tuning_extension);
    if (!options_.tuning_extension.empty() && ::access(path.c_str(), F_OK) == 0)
      if (Result<Unit> read = read_tuning_file(path, tuning); !read) return read;
    const Result<core::Tuning> typed = parse_choices(options_.params);
    if (!typed) return typed.failure();
    for (const auto& [name, number] : *typed) tuning[name] = number;
    return Unit{};
  }

  static void count_nodes(const core::Body& body, std::map<std::string, int>& counts) {
    for (const core::Stmt& stmt : body.stmts) {
      core::visit(stmt.exp, [&](const auto& node) { ++counts[std::string(node.kName)]; });
      core::for_each_body(stmt.exp, [&](const core::Body& inner) { count_nodes(inner, counts); });
    }
  }

  void check_structure(const TestSpec& spec) {
    if (spec.structure.empty()) return;
    const Result<core::Program> lowered =
        passes::run_passes(core::clone(*prog_), passes::pipeline_to(core::Stage::kKernels), {});
    if (!lowered) return report_({CaseReport::kFailed, "structure", lowered.error()});
    std::map<std::string, int> counts;
    for (const core::Function& fn : lowered->functions) count_nodes(fn.body, counts);
    std::string wrong;
    for (const StructureCount& expected : spec.structure)
      if (counts[expected.node] != expected.count)
        wrong += fmt::format("expected {} nodes `{}`, but there are {}\n", expected.count,
                             expected.node, counts[expected.node]);
    report_({wrong.empty() ? CaseReport::kPassed : CaseReport::kFailed, "structure", wrong});
  }

  void run_case(const std::string& entry_name, const TestCase& test) {
    const std::string name = fmt::format("{} {}", entry_name, test.name);
    const auto fail = [&](std::string why) {
      report_({CaseReport::kFailed, name, std::move(why)});
    };
    if (skipped_here(test.tags))
      return report_({CaseReport::kSkipped, name, "excluded by its tags"});
    const core::Function* entry = prog_->find_entry(entry_name);
    if (entry == nullptr) return fail(fmt::format("there is no entry point `{}`", entry_name));
    Result<std::vector<Value>> args =
        case_arguments(test.input, *prog_, *entry, *compiled_, folder_of(file_));
    if (!args) return fail("input: " + args.error());
    const std::vector<Value> kept =
        test.result.kind == CaseResult::kAuto ? *args : std::vector<Value>{};
    const Result<std::vector<Value>, compile::RunFailure> got =
        compiled_->run(*entry, std::move(*args));
    if (test.result.kind == CaseResult::kError) return expect_error(test.result.text, got, name);
    if (!got) return fail(got.error().text());
    compare(test, *entry, kept, *got, name);
  }

  void expect_error(const std::string& pattern,
                    const Result<std::vector<Value>, compile::RunFailure>& got,
                    const std::string& name) {
    if (got)
      return report_({CaseReport::kFailed, name,
                      fmt::format("expected a run-time error matching `{}`, but got\n{}", pattern,
                                  shown(*got))});
    const Result<bool> matches = matches_pattern(pattern, got.error().text());
    if (matches && *matches) return report_({CaseReport::kPassed, name, ""});
    report_({CaseReport::kFailed, name,
             matches
                 ? fmt::format("the error does not match `{}`:\n{}", pattern, got.error().text())
                 : matches.error()});
  }

  // What a case must give whose output is not written down.  The interpreter says so; if it would
  // take too long or too much memory, the cpu back end does, without vector code
  // and, where it is itself tested, on one thread.
  Result<std::vector<Value>, compile::RunFailure> reference(const core::Function& entry,
                                                            std::vector<Value> args) {
    constexpr double kSeconds = 4;
    const auto interp = compile::HostProgram::make(compile::reference_backend(), *prog_, {},
                                                   {.tuning = tuning_, .time_limit = kSeconds});
    Result<std::vector<Value>, compile::RunFailure> outcome = (*interp)->run(entry, args);
    std::string why_not;
    const compile::Backend& cpu = *compile::find_backend("cpu");
    const bool gave_up = !outcome && outcome.error().kind == compile::RunFailure::kLimit;
    if (!gave_up || !cpu.is_available(why_not)) return outcome;
    Result<passes::PassOptions> passes = make_pass_options({.disabled = {"vectorise"}});
    if (!passes) return Failure(compile::RunFailure{passes.error()});
    weak_reference_ = true;
    const int threads = &backend_ == &cpu ? 1 : 0;
    const auto plain = compile::HostProgram::make(
        cpu, *prog_, {.threads = threads}, {.passes = std::move(*passes), .tuning = tuning_});
    if (!plain) return Failure(compile::RunFailure{plain.error()});
    return (*plain)->run(entry, std::move(args));
  }

  void compare(const TestCase& test, const core::Function& entry, std::vector<Value> args,
               const std::vector<Value>& got, const std::string& name) {
    const auto fail = [&](std::string why) {
      report_({CaseReport::kFailed, name, std::move(why)});
    };
    if (test.result.kind == CaseResult::kAnything) return report_({CaseReport::kPassed, name, ""});
    std::vector<Value> expected;
    if (test.result.kind == CaseResult::kAuto) {
      if (backend_.is_interpreter && options_.interpret.stage.empty())
        return report_({CaseReport::kPassed, name, ""});
      Result<std::vector<Value>, compile::RunFailure> oracle = reference(entry, std::move(args));
      if (!oracle) return fail("the reference fails: " + oracle.error().text());
      expected = std::move(*oracle);
    } else {
      Result<std::vector<Value>> written = case_expectation(test.result, folder_of(file_));
      if (!written) return fail("output: " + written.error());
      expected = std::move(*written);
    }
    const std::optional<std::string> difference = runtime::compare_values(expected, got);
    const bool weak = std::exchange(weak_reference_, false);
    if (!difference)
      return report_({CaseReport::kPassed, name,
                      weak ? "compared with the cpu back end without vector code, because the "
                             "interpreter takes too long"
                           : ""});
    fail(fmt::format("{}\n    expected\n{}    got\n{}", *difference, shown(expected), shown(got)));
  }

  const std::string& file_;
  const compile::Backend& backend_;
  const TestOptions& options_;
  std::shared_ptr<compile::Engine>* held_;
  const std::function<void(CaseReport)>& report_;
  Session session_;
  std::optional<core::Program> prog_;
  std::unique_ptr<compile::HostProgram> compiled_;
  core::Tuning tuning_;
  bool weak_reference_ = false;  // The interpreter gave up on the case at hand.
};

}  // namespace

void run_program_tests(const std::string& file, const compile::Backend* backend,
                       const CommonOptions& common, const TestOptions& options,
                       std::shared_ptr<compile::Engine>* held,
                       const std::function<void(CaseReport)>& report) {
  ProgramTests(file, *backend, common, options, held, report).run();
}

}  // namespace skald::driver
