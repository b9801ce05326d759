// SPDX-License-Identifier: Apache-2.0
// Runs a machine on a thread of its own, whose stack is large enough for deep recursion.
#include "core/interp/interp.h"

#include <pthread.h>

#include <exception>
#include <optional>

#include "core/interp/machine.h"
#include "support/bug.h"

namespace skald::core {

namespace {

// Reserved, not used: pages are taken when they are touched.
constexpr int64_t kStackBytes = int64_t{512} << 20;
// What a single call may need below the point where the depth is checked.
constexpr int64_t kReserve = int64_t{8} << 20;

using Outcome = Result<std::vector<ArrayValue>, RuntimeError>;

struct Job {
  const Program& prog;
  std::string_view fn;
  std::vector<ArrayValue> args;
  const InterpOptions& options;
  std::optional<Outcome> outcome = {};
  std::exception_ptr bug = {};

  void run(int64_t stack_bytes) {
    // Internal errors travel to the thread of the caller.
    try {
      interp::Machine machine(prog, options);
      outcome.emplace(machine.interpret(fn, std::move(args), stack_bytes));
    } catch (...) {
      bug = std::current_exception();
    }
  }
};

}  // namespace

Outcome interpret(const Program& prog, std::string_view fn, std::vector<ArrayValue> args,
                  const InterpOptions& options) {
  Job job{prog, fn, std::move(args), options};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, static_cast<size_t>(kStackBytes));
  pthread_t thread;
  const auto start = [](void* argument) -> void* {
    static_cast<Job*>(argument)->run(kStackBytes - kReserve);
    return nullptr;
  };
  const bool started = pthread_create(&thread, &attributes, start, &job) == 0;
  pthread_attr_destroy(&attributes);
  if (started)
    pthread_join(thread, nullptr);
  else
    // Without such a thread recursion ends earlier: ordinary stacks have 8 MiB.
    job.run(int64_t{4} << 20);
  if (job.bug) std::rethrow_exception(job.bug);
  return std::move(*job.outcome);
}

}  // namespace skald::core
