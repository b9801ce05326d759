// SPDX-License-Identifier: Apache-2.0
#include "compiler.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include "budget.h"
#include "ufunc.h"

namespace skald::python {

namespace {

// A plan to compile, and a run of it on copies: kernels become machine code when they are first
// called, which must not happen while the user waits.
struct Job {
  CachedPlan* plan = nullptr;
  bool is_compiled = false;  // only its code is to be kept
  lazy::EngineCall call;
  std::vector<std::unique_ptr<void, decltype(&std::free)>> arrays;
  TableMemory tables;
};
// More bytes than this are not copied, as the user waits meanwhile: the run gets zeros.
constexpr int64_t kMostCopied = int64_t{1} << 20;
// For more than this there is no such run.
constexpr int64_t kMostRun = int64_t{1} << 28;

struct Compiler {
  const lazy::EngineApi* api = nullptr;
  std::string problem;
  bool tried = false;
  std::vector<std::string> op_names;
  std::vector<std::string> failures;
  std::mutex mutex, run_mutex;  // of the queue; of runs on copies
  std::condition_variable wake, ended;
  std::deque<std::unique_ptr<Job>> queue;
  std::thread worker;
  bool stop = false, has_ended = false;
};
Compiler& compiler() {
  static auto* const made = new Compiler;
  return *made;
}

// The compiler lies beside this module.
void load() {
  Compiler& c = compiler();
  c.tried = true;
  Dl_info info;
  std::string path = "libskald_engine.so";
  if (dladdr(reinterpret_cast<void*>(&load), &info) != 0 && info.dli_fname) {
    const std::string own = info.dli_fname;
    path = own.substr(0, own.rfind('/') + 1) + path;
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    c.problem = dlerror();
    return;
  }
  using Getter = const lazy::EngineApi* (*)();
  auto get = reinterpret_cast<Getter>(dlsym(library, lazy::kEngineSymbol));
  if (!get) {
    c.problem = "libskald_engine.so has no engine";
    return;
  }
  c.api = get();
  for (const UfuncInfo& info_of_op : ufuncs()) c.op_names.push_back(info_of_op.name);
}

}  // namespace

bool has_compiler() {
  if (!compiler().tried) load();
  return compiler().api != nullptr;
}

static void compile_for(CachedPlan* plan, Job* job) {
  Compiler& c = compiler();
  std::string message;
  const double started = now();
  plan->program = c.api->compile(plan->code, c.op_names, plan_options().backend.c_str(), message);
  plan->message = message;
  if (plan->program && job && !job->call.arrays.empty()) {
    const std::lock_guard lock(c.run_mutex);
    // If this fails, the real run will say so.
    c.api->run(plan->program, job->call, message);
    for (lazy::EngineArray& array : job->call.arrays) {
      if (array.device) c.api->drop_device(array.device);
    }
    for (lazy::EngineArray& array : job->call.results) {
      if (array.device) c.api->drop_device(array.device);
      if (array.release) array.release(array.data, array.argument);
    }
  }
  CompileBudget::of_process().note_late(now() - started - plan->thought);
  plan->state.store(plan->program ? kReady : kFailed);
  if (plan->program && job) c.api->keep(plan->program);
}

void compile_now(CachedPlan* plan) {
  compile_for(plan, nullptr);
}

static void work() {
  Compiler& c = compiler();
  std::unique_lock lock(c.mutex);
  while (!c.stop) {
    if (c.queue.empty()) {
      c.wake.wait(lock);
      continue;
    }
    const std::unique_ptr<Job> job = std::move(c.queue.front());
    c.queue.pop_front();
    lock.unlock();
    if (job->is_compiled) {
      c.api->keep(job->plan->program);
    } else {
      compile_for(job->plan, job.get());
    }
    lock.lock();
  }
  c.has_ended = true;
  c.ended.notify_all();
}

bool compiler_is_loaded() {
  return compiler().api != nullptr;
}

void note_failure(std::string message) {
  compiler().failures.push_back(std::move(message));
}

static void give_to_worker(std::unique_ptr<Job> job) {
  Compiler& c = compiler();
  const std::lock_guard lock(c.mutex);
  if (!c.worker.joinable()) c.worker = std::thread(work);
  c.queue.push_back(std::move(job));
  c.wake.notify_one();
}

void compile_later(CachedPlan* plan, const lazy::PlanWriter& writer) {
  auto job = std::make_unique<Job>();
  job->plan = plan;
  int64_t bytes = 0;
  bool at_hand = true;
  for (const Node* node : writer.externals) {
    bytes += node->count() * lazy::item_size(node->type);
    at_hand = at_hand && node->buffer->data;
  }
  // What functions of the user do with zeros nobody knows.
  const bool copied = bytes <= kMostCopied;
  if (at_hand && (copied || (bytes <= kMostRun && !has_calls(writer)))) {
    add_numbers(plan, writer, job->call);
    for (const Node* node : writer.externals) {
      add_array(job->call, node, node->buffer, false);
      lazy::EngineArray& array = job->call.arrays.back();
      const auto size = static_cast<size_t>(array.bytes);
      // Large zeros need no memory before they are read.
      job->arrays.emplace_back(std::calloc(size + 64, 1), &std::free);
      void* const memory = job->arrays.back().get();
      if (!memory) return;
      if (copied) std::memcpy(memory, array.data, size);
      array.data = memory;
      array.device = nullptr;
    }
    if (plan->plan.is_loop) {
      // A few rounds will do.
      job->call.symbols.back() = std::min<int64_t>(job->call.symbols.back(), 2);
      add_tables(plan, writer, job->call.symbols.back(), job->call, job->tables);
    }
  }
  plan->state.store(kCompiling);
  give_to_worker(std::move(job));
}

void keep_later(CachedPlan* plan) {
  auto job = std::make_unique<Job>();
  job->plan = plan;
  job->is_compiled = true;
  give_to_worker(std::move(job));
}

const lazy::EngineApi* engine_api() {
  return has_compiler() ? compiler().api : nullptr;
}
const std::vector<std::string>& engine_op_names() {
  return compiler().op_names;
}

const std::string& engine_problem() {
  has_compiler();
  return compiler().problem;
}

const std::vector<std::string>& compile_failures() {
  return compiler().failures;
}

void hold_compiler() {
  compiler().run_mutex.lock();
  compiler().mutex.lock();
}
void release_compiler() {
  compiler().mutex.unlock();
  compiler().run_mutex.unlock();
}
void forget_compiler_thread() {
  Compiler& c = compiler();
  c.queue.clear();
  // It cannot be joined.  Nobody asks for another one where NumPy runs everything.
  new (&c.worker) std::thread;
}

namespace {

// What the process would tear down is still in use.
void end_without_tearing_down() {
  on_exit(
      [](int status, void*) {
        std::fflush(nullptr);
        _exit(status);
      },
      nullptr);
}

}  // namespace

void stop_compiling(bool others_go_on) {
  if (others_go_on) end_without_tearing_down();
  Compiler& c = compiler();
  std::unique_lock lock(c.mutex);
  c.stop = true;
  c.queue.clear();
  c.wake.notify_all();
  if (!c.worker.joinable()) return;
  // A large plan takes seconds: nobody should wait for it at the end.
  const bool ended =
      c.ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return c.has_ended; });
  lock.unlock();
  if (ended) {
    c.worker.join();
    return;
  }
  c.worker.detach();
  if (!others_go_on) end_without_tearing_down();
}

}  // namespace skald::python
