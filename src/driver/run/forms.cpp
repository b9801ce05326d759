// SPDX-License-Identifier: Apache-2.0
#include "driver/run/forms.h"

#include <cstdio>
#include <map>

#include "runtime/values/value.h"

namespace skald::driver {

using runtime::Value;

namespace {

using NamedValues = std::map<std::string, std::vector<Value>>;

Result<Unit> print_text(compile::Engine& engine, const Value& text) {
  const Result<Value> here = engine.download(text);
  if (!here) return here.failure();
  const std::span<uint8_t> bytes = here->elements<uint8_t>();
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  std::fflush(stdout);
  return Unit{};
}

// Calls one form with what the ones before gave; keeps what it gives.
int run_form(Session& session, compile::Program& program, const core::Function& form,
             NamedValues& known) {
  std::vector<Value> args;
  for (const core::EntryValue& param : form.entry->params)
    for (const Value& value : known.at(param.name)) args.push_back(value);
  Result<std::vector<Value>, compile::RunFailure> results =
      program.executable().call(form, std::move(args));
  if (!results) {
    std::fputs(session.loader().failure_text(results.error()).c_str(), stderr);
    return kUserError;
  }
  size_t next = 0;
  for (const core::EntryValue& result : form.entry->results) {
    std::vector<Value>& values = known[result.name];
    values.clear();
    for (int k = 0; k < result.count; ++k) values.push_back((*results)[next++]);
  }
  const Result<Unit> printed = print_text(program.engine(), (*results)[1]);
  return printed ? kOk : session.fail(printed.error());
}

}  // namespace

int run_forms(Session& session, compile::Program& program) {
  NamedValues known;
  for (size_t number = 1;; ++number) {
    const core::Function* form = program.find_entry(fmt::format("form {}", number));
    if (form == nullptr) return kOk;
    if (const int status = run_form(session, program, *form, known); status != kOk) return status;
  }
}

}  // namespace skald::driver
