// SPDX-License-Identifier: Apache-2.0
#include "driver/run/scripts.h"

#include <chrono>
#include <cstdio>
#include <cstring>

#include "support/bug.h"

namespace skald::driver {

using frontend::ScriptStep;
using runtime::Value;

namespace {

// Calls of functions in each other; each takes a few hundred bytes of stack.
constexpr int kMaxDepth = 20000;
constexpr uint64_t kFirstSeed = 1;

double seconds_now() {
  using std::chrono::duration;
  return duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

ScriptRunner::ScriptRunner(Session& session, compile::Program& program, NamedValues& known)
    : session_(session), program_(program), known_(known) {
  if (const core::Function* entry = program.find_entry("form script"))
    script_ = frontend::ScriptReader::script(entry->entry->results[0].type);
}

const frontend::ScriptFunction* ScriptRunner::find(const std::string& form) const {
  const auto found = script_.functions.find(form);
  return found == script_.functions.end() ? nullptr : &found->second;
}

struct ScriptRunner::Transfer {
  ScriptRunner& runner;
  const ScriptStep& step;
  Slots& slots;
  size_t next_arg = 0, next_result = 0;

  Value arg() {
    const Value& value = slots[static_cast<size_t>(step.args[next_arg++])];
    return value.rank() == 0 ? value : runner.ready(runner.program_.engine().download(value));
  }
  int64_t number() { return arg().elements<int64_t>()[0]; }
  double real() { return arg().elements<double>()[0]; }
  std::string text() {
    ++next_arg;  // its length
    const Value value = arg();
    const std::span<uint8_t> bytes = value.elements<uint8_t>();
    return {bytes.begin(), bytes.end()};
  }

  void give(Value value) {
    slots[static_cast<size_t>(step.results[next_result++])] = std::move(value);
  }
  void give_number(int64_t number) {
    give(runner.ready(Value::scalar(Prim::kI64, static_cast<uint64_t>(number))));
  }
  void give_real(double number) {
    uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof(bits));
    give(runner.ready(Value::scalar(Prim::kF64, bits)));
  }
  void give_flag(bool flag) { give(runner.ready(Value::scalar(Prim::kBool, flag ? 1 : 0))); }
  void give_text(const std::string& text) {
    const auto length = static_cast<int64_t>(text.size());
    give_number(length);
    const Value here = runner.ready(Value::allocate(Prim::kU8, {length}));
    if (!text.empty()) std::memcpy(here.data.data(), text.data(), text.size());
    give(runner.ready(runner.program_.engine().upload(here)));
  }
  // Whether it went well, and why not.
  template <class T>
  void give_outcome(const Result<T>& result) {
    give_flag(static_cast<bool>(result));
    give_text(result ? std::string() : result.error());
  }
};

Result<Unit> print_text(compile::Engine& engine, const Value& text) {
  const Result<Value> here = engine.download(text);
  if (!here) return here.failure();
  const std::span<uint8_t> bytes = here->elements<uint8_t>();
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  std::fflush(stdout);
  return Unit{};
}

void ScriptRunner::operate(const ScriptStep& step, Slots& slots) {
  Transfer with{*this, step, slots};
  if (step.name == "clock") {
    ready(program_.engine().finish());
    with.give_real(seconds_now());
  } else if (step.name == "elapsed") {
    ready(program_.engine().finish());
    with.give_real(seconds_now() - with.real());
  } else if (step.name == "do_open") {
    const std::string name = with.text();
    const Result<int64_t> stream = streams_.open(name, with.number());
    with.give_number(stream ? *stream : -1);
    with.give_outcome(stream);
  } else if (step.name == "do_close") {
    with.give_outcome(streams_.close(with.number()));
  } else if (step.name == "do_read") {
    const std::string delimiters = with.text();
    const int64_t most = with.number();
    const Result<Streams::Read> read = streams_.read(delimiters, most, with.number());
    with.give_text(read ? read->text : std::string());
    with.give_number(read ? read->last : -1);
    with.give_outcome(read);
  } else if (step.name == "do_write") {
    const std::string text = with.text();
    with.give_outcome(streams_.write(text, with.number()));
  } else if (step.name == "do_spawn") {
    const std::string command = with.text();
    const int64_t input = with.number(), output = with.number(), errors = with.number();
    const Result<Streams::Ends> ends = streams_.spawn(command, {input, output, errors});
    with.give_number(ends ? ends->input : -1);
    with.give_number(ends ? ends->output : -1);
    with.give_number(ends ? ends->errors : -1);
    with.give_outcome(ends);
  } else if (step.name == "do_shell") {
    const std::string command = with.text();
    const Result<std::string> output = Streams::shell(command, with.text());
    with.give_text(output ? *output : std::string());
    with.give_outcome(output);
  } else if (step.name == "do_stop") {
    throw Ended{kUserError};
  } else {
    SKALD_BUG("no operation is called {}", step.name);
  }
}

void ScriptRunner::call_entry(const ScriptStep& step, Slots& slots) {
  const core::Function* entry = program_.find_entry(step.name);
  SKALD_CHECK(entry != nullptr, "the script has no entry point {}", step.name);
  std::vector<Value> args;
  for (const int slot : step.args) args.push_back(slots[static_cast<size_t>(slot)]);
  if (step.takes_seed) args.push_back(seed_);
  Result<std::vector<Value>, compile::RunFailure> results =
      program_.executable().call(*entry, std::move(args));
  if (!results) {
    std::fputs(session_.loader().failure_text(results.error()).c_str(), stderr);
    throw Ended{kUserError};
  }
  size_t next = 0;
  if (step.prints) {
    ready(print_text(program_.engine(), (*results)[1]));
    next = 2;
  }
  for (const int slot : step.results) slots[static_cast<size_t>(slot)] = (*results)[next++];
  if (step.takes_seed) seed_ = (*results)[next];
}

void ScriptRunner::call_function(const ScriptStep& step, Slots& slots) {
  const frontend::ScriptFunction& function = script_.functions.at(step.name);
  if (++depth_ > kMaxDepth)
    throw Ended{session_.fail("the functions that read and write call each other too deeply")};
  Slots own(static_cast<size_t>(function.slots));
  for (size_t k = 0; k < step.args.size(); ++k)
    own[static_cast<size_t>(function.params[k])] = slots[static_cast<size_t>(step.args[k])];
  run(function.steps, own);
  for (size_t k = 0; k < step.results.size(); ++k)
    slots[static_cast<size_t>(step.results[k])] = own[static_cast<size_t>(function.results[k])];
  --depth_;
}

void ScriptRunner::step(const ScriptStep& step, Slots& slots) {
  switch (step.kind) {
    case ScriptStep::kEntry: return call_entry(step, slots);
    case ScriptStep::kOperation: return operate(step, slots);
    case ScriptStep::kCall: return call_function(step, slots);
    case ScriptStep::kIf: {
      const Value& cond = slots[static_cast<size_t>(step.args[0])];
      return run(cond.elements<uint8_t>()[0] != 0 ? step.then : step.otherwise, slots);
    }
    case ScriptStep::kCopy:
      for (size_t k = 0; k < step.args.size(); ++k)
        slots[static_cast<size_t>(step.results[k])] = slots[static_cast<size_t>(step.args[k])];
      return;
    case ScriptStep::kValue: {
      const std::vector<Value>& values = known_.at(step.name);
      for (size_t k = 0; k < step.results.size(); ++k)
        slots[static_cast<size_t>(step.results[k])] = values[k];
      return;
    }
  }
}

void ScriptRunner::run(const std::vector<ScriptStep>& steps, Slots& slots) {
  for (const ScriptStep& each : steps) step(each, slots);
}

int ScriptRunner::run_form(const frontend::ScriptFunction& form) {
  Slots slots(static_cast<size_t>(form.slots));
  try {
    seed_ = ready(Value::scalar(Prim::kI64, kFirstSeed));
    depth_ = 0;
    run(form.steps, slots);
  } catch (const Ended& ended) {
    return ended.status;
  }
  size_t next = 0;
  for (const auto& [name, count] : form.values) {
    std::vector<Value>& values = known_[name];
    values.clear();
    for (int k = 0; k < count; ++k)
      values.push_back(slots[static_cast<size_t>(form.results[next++])]);
  }
  return kOk;
}

}  // namespace skald::driver
