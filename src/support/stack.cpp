// SPDX-License-Identifier: Apache-2.0
#include "support/stack.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <exception>
#include <memory>
#include <string_view>

namespace skald {

namespace {

thread_local bool is_large = false;  // NOLINT: one for each thread

struct Call {
  const std::function<void()>& f;
  size_t stack_bytes = 0;
  std::exception_ptr thrown = nullptr;
};

constexpr size_t kGuard = size_t{1} << 20;
// A handler of signals cannot use the stack that is full.
constexpr size_t kSignalStack = size_t{64} << 10;

// The guard below the present thread's stack, and whether the stack is as large as it should be.
thread_local char* guard = nullptr;      // NOLINT: one for each thread
thread_local bool is_full_size = false;  // NOLINT: one for each thread

// Exit codes as in driver/session.h.
void on_bad_address(int signal, siginfo_t* info, void*) {
  auto* at = static_cast<char*>(info->si_addr);
  if (guard == nullptr || at < guard || at >= guard + 2 * kGuard) {
    // Not ours: it happens again, and ends the program as it would have without us.
    ::signal(signal, SIG_DFL);
    return;
  }
  constexpr std::string_view kSmall =
      "error: out of memory: the system gives less stack than this program needs\n"
      "  = try:  raise the limit on memory (`ulimit -v`)\n";
  constexpr std::string_view kBug =
      "internal error: the stack is full\n"
      "This is a bug in Skald, not in your program.  Please report it.\n";
  const std::string_view text = is_full_size ? kBug : kSmall;
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
  ::_exit(is_full_size ? 1 : 2);
}

// Says where the present thread's stack ends, and gives on_bad_address room to run in.
class StackWatch {
 public:
  explicit StackWatch(size_t stack_bytes) : room_(std::make_unique<char[]>(kSignalStack)) {
    pthread_attr_t attributes;
    void* low = nullptr;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    const bool known = pthread_attr_getstack(&attributes, &low, &bytes) == 0;
    pthread_attr_destroy(&attributes);
    if (!known) return;
    // Whether the guard is part of the stack or lies below depends on the library.
    guard = static_cast<char*>(low) - kGuard;
    is_full_size = stack_bytes == kLargeStack;
    stack_t other = {};
    other.ss_sp = room_.get();
    other.ss_size = kSignalStack;
    ::sigaltstack(&other, nullptr);
  }
  ~StackWatch() {
    if (guard == nullptr) return;
    guard = nullptr;
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
  }
  StackWatch(const StackWatch&) = delete;
  StackWatch& operator=(const StackWatch&) = delete;

 private:
  std::unique_ptr<char[]> room_;  // NOLINT: room for a stack, not an array
};

void* run(void* data) {
  auto* call = static_cast<Call*>(data);
  is_large = true;
  const StackWatch watch(call->stack_bytes);
  try {
    call->f();
  } catch (...) {
    call->thrown = std::current_exception();
  }
  return nullptr;
}

// Whether a thread with a stack of that size could be started.
bool run_on_stack(size_t bytes, Call& call) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_t thread = {};
  call.stack_bytes = bytes;
  const bool started = pthread_attr_setstacksize(&attributes, bytes) == 0 &&
                       pthread_attr_setguardsize(&attributes, kGuard) == 0 &&
                       pthread_create(&thread, &attributes, run, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (started) pthread_join(thread, nullptr);
  return started;
}

// Where addresses are scarce, the stack leaves most of them to the heap.
size_t first_try() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kLargeStack;
  size_t bytes = kLargeStack;
  while (bytes > limit.rlim_cur / 4) bytes /= 2;
  return bytes;
}

}  // namespace

void report_full_stacks() {
  struct sigaction action = {};
  action.sa_sigaction = on_bad_address;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGSEGV, &action, nullptr);
}

void on_large_stack(const std::function<void()>& f) {
  constexpr size_t kLeast = size_t{16} << 20;
  Call call{f};
  bool done = is_large;
  if (done) f();
  for (size_t bytes = first_try(); !done && bytes >= kLeast; bytes /= 2)
    done = run_on_stack(bytes, call);
  if (!done) f();
  if (call.thrown) std::rethrow_exception(call.thrown);
}

}  // namespace skald
