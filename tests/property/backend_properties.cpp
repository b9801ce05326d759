// SPDX-License-Identifier: Apache-2.0
// Back ends compute what the interpreter computes.  Every program runs in a process of its own, so
// that a crash is a failure like others, which can be made small, and so that the drivers of
// devices never see a fork.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "compile/program/host_program.h"
#include "compile/registry/backends.h"
#include "core/edit/rename.h"
#include "core/interp/interp.h"
#include "core/text/print.h"
#include "property.h"

namespace skald::property {

namespace {

using namespace core;

// A program that needs longer hangs.
constexpr unsigned kSeconds = 60;

// What `check` says when it runs in a child process, or how that process died.
std::optional<std::string> in_child(const std::function<std::optional<std::string>()>& check) {
  std::fflush(stdout);
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child < 0) return "no process";
  if (child == 0) {
    ::close(ends[0]);
    ::alarm(kSeconds);
    std::string text;
    try {
      text = check().value_or("");
    } catch (const std::exception& error) {
      text = fmt::format("exception: {}", error.what());
    }
    const bool written = ::write(ends[1], text.data(), text.size()) >= 0;
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM ? fmt::format("not done after {} s", kSeconds)
                                       : fmt::format("killed by signal {}", WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return fmt::format("exit code {}", WEXITSTATUS(status));
  if (text.empty()) return std::nullopt;
  return text;
}

runtime::Value to_value(const ArrayValue& array) {
  Result<runtime::Value> value = runtime::Value::allocate(array.elem, array.shape);
  SKALD_CHECK(static_cast<bool>(value), "no memory");
  if (!array.data->empty()) std::memcpy(value->data.data(), array.data->data(), array.data->size());
  return std::move(*value);
}

ArrayValue from_value(const runtime::Value& value) {
  ArrayValue array{value.type, value.shape, std::make_shared<std::vector<std::byte>>()};
  array.data->assign(value.data.data(), value.data.data() + value.data.bytes());
  return array;
}

// Thresholds that make versions of nests run which their sizes would not choose.
Tuning random_tuning(const std::vector<TuningParam>& params, uint64_t seed) {
  Tuning tuning;
  if (seed % 3 == 0) return tuning;
  for (const TuningParam& param : params) {
    if (param.param_class == "user") continue;
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    tuning[param.name] = (seed >> 40) % 2 == 0 ? 1 : int64_t{1} << 40;
  }
  return tuning;
}

// Arguments and results are those of the core function here, sizes included.
Program with_plain_entry(const Program& prog) {
  Program copy = clone(prog);
  for (Function& fn : copy.functions)
    if (fn.name == "main") {
      fn.entry = EntryPoint{.name = "main"};
      fn.entry->params.resize(fn.params.size());
      fn.entry->results.resize(fn.results.size());
    }
  return copy;
}

std::optional<std::string> difference(const compile::Backend& backend, const Program& prog,
                                      uint64_t seed) {
  const RandomArgs sizes = seed % 4 == 0 ? RandomArgs::kLarger : RandomArgs::kSmall;
  const std::vector<ArrayValue> args = random_args(*prog.find("main"), seed, sizes);
  const auto expected = interpret(prog, "main", args, {.time_limit = 5});
  if (!expected) return std::nullopt;
  const Program plain = with_plain_entry(prog);
  const compile::EngineOptions engine_options{.threads = 1 + static_cast<int>(seed % 3)};
  compile::ProgramOptions options;
  // Results depend neither on the width of registers nor on what else the machine has.
  constexpr const char* kLeftOut[] = {nullptr, "simd256", "simd512", nullptr, "avx512"};
  if (const char* left_out = kLeftOut[seed / 3 % std::size(kLeftOut)])
    options.passes.disabled.insert(left_out);
  auto compiled = compile::HostProgram::make(backend, plain, engine_options, options);
  if (!compiled) return compiled.error();
  options.tuning = random_tuning((*compiled)->executable().params(), seed);
  if (!options.tuning.empty()) {
    compiled = compile::HostProgram::make(backend, plain, engine_options, options);
    if (!compiled) return compiled.error();
  }
  std::vector<runtime::Value> values;
  for (const ArrayValue& arg : args) values.push_back(to_value(arg));
  const auto results = (*compiled)->run(*plain.find("main"), std::move(values));
  if (!results) return "fails with: " + results.error().text();
  std::vector<ArrayValue> arrays;
  for (const runtime::Value& value : *results) arrays.push_back(from_value(value));
  if (!same_results(*expected, arrays)) return "other results";
  return std::nullopt;
}

// "other results", "exception", "fails with".
std::string_view kind_of(std::string_view problem) {
  return problem.substr(0, problem.find(':'));
}

Property property_of(const compile::Backend& backend) {
  return {backend.name, "the back end gives what the interpreter gives",
          [&backend](uint64_t seed) -> std::optional<std::string> {
            const auto problem = [&](const Program& prog) -> std::optional<std::string> {
              if (!prog.find("main")) return std::nullopt;
              return in_child([&] { return difference(backend, prog, seed); });
            };
            Program prog = random_program(seed, options_for(seed));
            const std::optional<std::string> first = problem(prog);
            if (!first) return std::nullopt;
            // A program that is only wrong in another way would hide what was found.
            const Program small = shrink(std::move(prog), [&](const Program& p) {
              const std::optional<std::string> now = problem(p);
              return now && kind_of(*now) == kind_of(*first);
            });
            return problem(small).value_or("not the same again") + "\n" + print(small);
          }};
}

}  // namespace

std::vector<Property> backend_properties() {
  std::vector<Property> properties;
  std::string why_not;
  for (const compile::Backend* backend : compile::backends())
    if (!backend->is_interpreter && backend->is_available(why_not))
      properties.push_back(property_of(*backend));
  return properties;
}

}  // namespace skald::property
