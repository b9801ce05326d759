// SPDX-License-Identifier: Apache-2.0
#include "driver/run/forms.h"

#include <cstdio>
#include <string>

#include "driver/run/scripts.h"
#include "runtime/values/value.h"

namespace skald::driver {

using runtime::Value;

namespace {

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
  ScriptRunner scripts(session, program, known);
  for (size_t number = 1;; ++number) {
    const std::string name = fmt::format("form {}", number);
    int status = kOk;
    if (const core::Function* form = program.find_entry(name)) {
      status = run_form(session, program, *form, known);
    } else if (const frontend::ScriptFunction* script = scripts.find(name)) {
      status = scripts.run_form(*script);
    } else {
      return kOk;
    }
    if (status != kOk) return status;
  }
}

}  // namespace skald::driver
