// SPDX-License-Identifier: Apache-2.0
#include "support/stack.h"

#include <pthread.h>

#include <exception>

namespace skald {

namespace {

thread_local bool is_large = false;

struct Call {
  const std::function<void()>& f;
  std::exception_ptr thrown = nullptr;
};

void* run(void* data) {
  auto* call = static_cast<Call*>(data);
  is_large = true;
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
  const bool started = pthread_attr_setstacksize(&attributes, bytes) == 0 &&
                       pthread_create(&thread, &attributes, run, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (started) pthread_join(thread, nullptr);
  return started;
}

}  // namespace

void on_large_stack(const std::function<void()>& f) {
  constexpr size_t kLeast = size_t{16} << 20;
  Call call{f};
  bool done = is_large;
  if (done) f();
  for (size_t bytes = kLargeStack; !done && bytes >= kLeast; bytes /= 2)
    done = run_on_stack(bytes, call);
  if (!done) f();
  if (call.thrown) std::rethrow_exception(call.thrown);
}

}  // namespace skald
