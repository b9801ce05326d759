// SPDX-License-Identifier: Apache-2.0
// Runs scripts (frontend/script.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compile/program/program.h"
#include "driver/run/streams.h"
#include "driver/session.h"
#include "frontend/script.h"
#include "runtime/values/value.h"

namespace skald::driver {

using NamedValues = std::map<std::string, std::vector<runtime::Value>>;

// The characters, on standard output.
Result<Unit> print_text(compile::Engine& engine, const runtime::Value& text);

class ScriptRunner {
 public:
  ScriptRunner(Session& session, compile::Program& program, NamedValues& known);

  // The form of that name; null if it is none of the script's.
  const frontend::ScriptFunction* find(const std::string& form) const;
  // Gives the exit code; values of the form are known afterwards.
  int run_form(const frontend::ScriptFunction& form);

 private:
  using Slots = std::vector<runtime::Value>;
  // Thrown to end the run, after a message.
  struct Ended {
    int status;
  };

  void run(const std::vector<frontend::ScriptStep>& steps, Slots& slots);
  void step(const frontend::ScriptStep& step, Slots& slots);
  void call_entry(const frontend::ScriptStep& step, Slots& slots);
  void call_function(const frontend::ScriptStep& step, Slots& slots);
  void operate(const frontend::ScriptStep& step, Slots& slots);

  // Reads arguments and makes results of an operation, from left to right.
  struct Transfer;
  template <class T>
  T ready(Result<T> result) {
    if (result) return std::move(*result);
    throw Ended{session_.fail(result.error())};
  }

  Session& session_;
  compile::Program& program_;
  NamedValues& known_;
  frontend::Script script_;
  Streams streams_;
  runtime::Value seed_;
  int depth_ = 0;
};

}  // namespace skald::driver
