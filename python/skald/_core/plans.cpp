// SPDX-License-Identifier: Apache-2.0
#include "plans.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "calls.h"
#include "plan_cache.h"
#include "ufunc.h"

namespace skald::python {

namespace {

// What NumPy needs for an operation and for an element, about; and what calling a program costs.
constexpr double kNumpyOperation = 1.2e-6, kNumpyElement = 0.8e-9, kCall = 2e-5;
// What compiling a plan takes, about: a part for each of its nodes.  A part of that must NumPy have
// spent on a plan before it is compiled beside it, and a few times as much must it need at once
// before somebody waits for the compiler.  So a script is never much slower than it would be
// without one.
constexpr double kCompilePlan = 0.04, kCompileNode = 0.003;
constexpr double kWorthCompiling = 0.25, kWorthWaiting = 3;
double compile_seconds(size_t nodes) {
  return kCompilePlan + kCompileNode * static_cast<double>(nodes);
}

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

// A plan to compile, and a run of it on copies: kernels become machine code when they are first
// called, which must not happen while the user waits.
struct Job {
  CachedPlan* plan = nullptr;
  lazy::EngineCall call;
  std::vector<std::unique_ptr<std::byte[]>> copies;
};
// Copies of more bytes than this are not made.
constexpr int64_t kMostCopied = int64_t{1} << 28;

struct Compiler {
  const lazy::EngineApi* api = nullptr;
  std::string problem;
  bool tried = false;
  std::vector<std::string> op_names;
  std::vector<std::string> failures;
  // By hash; nothing is ever removed.
  std::unordered_multimap<uint64_t, std::unique_ptr<CachedPlan>> plans;

  std::mutex mutex;
  std::condition_variable wake, ended;
  std::deque<std::unique_ptr<Job>> queue;
  std::thread worker;
  bool stop = false, has_ended = false;
};
Compiler& compiler() {
  static auto* const made = new Compiler;
  return *made;
}

struct Returned {
  std::mutex mutex;
  std::vector<Buffer*> buffers;
};
Returned& returned() {
  static auto* const list = new Returned;
  return *list;
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

bool has_compiler() {
  if (!compiler().tried) load();
  return compiler().api != nullptr;
}

void compile_now(CachedPlan* plan, Job* job) {
  Compiler& c = compiler();
  std::string message;
  const double started = now();
  plan->program = c.api->compile(plan->code, c.op_names, plan_options().backend.c_str(), message);
  plan->message = message;
  plan->seconds = now() - started;
  if (plan->program && job && !job->call.arrays.empty()) {
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
  plan->state.store(plan->program ? kReady : kFailed);
}

void work() {
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
    compile_now(job->plan, job.get());
    lock.lock();
  }
  c.has_ended = true;
  c.ended.notify_all();
}

void add_numbers(CachedPlan* plan, const lazy::PlanWriter& writer, lazy::EngineCall& call) {
  call.symbols = writer.symbols;
  for (size_t i = 0; i < writer.scalars.size(); ++i) {
    call.scalars.push_back(scalar_bits(plan->plan.scalars[i], writer.scalars[i]));
  }
}

void compile_later(CachedPlan* plan, const lazy::PlanWriter& writer) {
  Compiler& c = compiler();
  auto job = std::make_unique<Job>();
  job->plan = plan;
  int64_t bytes = 0;
  bool at_hand = true;
  for (const Node* node : writer.externals) {
    bytes += node->count() * lazy::item_size(node->type);
    at_hand = at_hand && node->buffer->data;
  }
  if (bytes <= kMostCopied && at_hand) {
    add_numbers(plan, writer, job->call);
    for (const Node* node : writer.externals) {
      add_array(job->call, node, node->buffer, false);
      lazy::EngineArray& array = job->call.arrays.back();
      const auto size = static_cast<size_t>(array.bytes);
      job->copies.push_back(std::make_unique<std::byte[]>(size + 64));
      std::memcpy(job->copies.back().get(), array.data, size);
      array.data = job->copies.back().get();
      array.device = nullptr;
    }
  }
  plan->state.store(kCompiling);
  const std::lock_guard lock(c.mutex);
  if (!c.worker.joinable()) c.worker = std::thread(work);
  c.queue.push_back(std::move(job));
  c.wake.notify_one();
}

// ---- What can be compiled

// Can the compiler take this operation?  Asked once for each.
bool op_can_be_compiled(uint16_t op, DType type) {
  static std::vector<int8_t> known(ufuncs().size() * lazy::kDTypeCount, -1);
  if (op == kWhereOp) return true;
  int8_t& answer = known[op * size_t{lazy::kDTypeCount} + static_cast<size_t>(type)];
  if (answer < 0) answer = compiler().api->can_lower(ufuncs()[op].name.c_str(), type) ? 1 : 0;
  return answer == 1;
}

bool input_fits(const Input& input) {
  if (lazy::is_complex(input.type)) return false;
  return !input.node || (input.view.count() > 0 && !input.node->is_orphan());
}

bool kind_can_be_compiled(const Node* node) {
  switch (node->kind) {
    case NodeKind::kElementwise:
      return node->is_plain && op_can_be_compiled(node->op, node->compute_type);
    case NodeKind::kReduce:
    case NodeKind::kScan:
      return !lazy::is_complex(node->compute_type) &&
             op_can_be_compiled(node->op, node->compute_type);
    case NodeKind::kCast:
    case NodeKind::kFill:
    case NodeKind::kIota:
    case NodeKind::kRandom:
    case NodeKind::kRoll: return true;
    case NodeKind::kAssign: return node->target.count() > 0;
    case NodeKind::kCall:
    case NodeKind::kPart: return call_can_be_compiled(node);
    default: return false;
  }
}

bool can_be_compiled(const Node* node) {
  if (lazy::is_complex(node->type) || node->count() == 0) return false;
  for (int i = 0; i < node->input_count; ++i) {
    if (!input_fits(node->inputs[i])) return false;
  }
  return kind_can_be_compiled(node);
}

CachedPlan* find_plan(const lazy::PlanWriter& writer) {
  auto [it, end] = compiler().plans.equal_range(writer.hash);
  for (; it != end; ++it) {
    if (it->second->code == writer.code) {
      ++stats.plan_hits;
      return it->second.get();
    }
  }
  ++stats.plans;
  auto plan = std::make_unique<CachedPlan>();
  plan->code = writer.code;
  plan->plan = lazy::read_plan(writer.code);
  return compiler().plans.emplace(writer.hash, std::move(plan))->second.get();
}

// Nodes of a plan stay alive as long as this does; those inside are of no use afterwards, and leave
// the list when nobody else holds them.
class Held {
 public:
  explicit Held(lazy::PlanWriter& writer) : nodes_(writer.nodes) {
    nodes_.insert(nodes_.end(), writer.externals.begin(), writer.externals.end());
    for (Node* node : nodes_) node->retain();
  }
  ~Held() {
    for (Node* node : nodes_) node->drop();
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  std::vector<Node*> nodes_;
};

// The plan that NumPy runs now, when that began, and how long it was thought to take.
struct LastCold {
  CachedPlan* plan = nullptr;
  double seconds = 0, started = 0;
};
LastCold& last_cold() {
  static LastCold last;
  return last;
}

// Does somebody want to know of divisions by zero in a way that only NumPy has?
bool must_tell_errors() {
  static PyObject* const get = PyObject_GetAttrString(real.numpy, "geterr");
  Ref modes(get ? PyObject_CallNoArgs(get) : nullptr);
  if (!modes) {
    PyErr_Clear();
    return false;
  }
  PyObject *key = nullptr, *mode = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(modes.get(), &at, &key, &mode)) {
    const bool silent = PyUnicode_CompareWithASCIIString(mode, "warn") == 0 ||
                        PyUnicode_CompareWithASCIIString(mode, "ignore") == 0;
    if (!silent) return true;
  }
  return false;
}

// Is there a program now?  `seconds`: what NumPy would need.
bool is_ready(CachedPlan* plan, const lazy::PlanWriter& writer, double seconds) {
  const PlanOptions& options = plan_options();
  ++plan->seen;
  const bool always = options.evaluator == Evaluator::kCompiled;
  if (plan->state.load() == kCold) {
    const double compiling = compile_seconds(writer.nodes.size());
    const double enough = std::max(kCompilePlan, kWorthCompiling * compiling);
    const bool hot =
        options.hot > 0 ? plan->seen >= options.hot : plan->numpy_seconds + seconds > enough;
    if (always || seconds > kWorthWaiting * compiling || (hot && !options.background)) {
      Py_BEGIN_ALLOW_THREADS compile_now(plan, nullptr);
      Py_END_ALLOW_THREADS
    } else if (hot) {
      compile_later(plan, writer);
    }
  }
  if (plan->state.load() == kFailed && !plan->message.empty()) {
    compiler().failures.push_back(std::exchange(plan->message, {}));
  }
  return plan->state.load() == kReady && !must_tell_errors() && (always || !plan->is_slower());
}

bool has_calls(const lazy::PlanWriter& writer) {
  for (const Node* node : writer.nodes) {
    if (node->kind == NodeKind::kCall) return true;
  }
  return false;
}

bool run_plan(CachedPlan* cached, lazy::PlanWriter& writer) {
  const lazy::Plan& plan = cached->plan;
  lazy::EngineCall call;
  add_numbers(cached, writer, call);
  std::vector<Buffer*> buffers;
  for (size_t i = 0; i < writer.externals.size(); ++i) {
    Node* node = writer.externals[i];
    buffers.push_back(node->buffer);
    add_array(call, node, node->buffer, plan.externals[i].is_exclusive);
  }
  const bool good = call_plan(cached, call, buffers);
  if (Trace* trace = current_trace()) trace->note(cached, writer);
  if (good) {
    for (size_t i = 0; i < writer.outputs.size(); ++i) {
      lazy::set_value(writer.outputs[i], take_result(cached, call, i, buffers));
    }
  }
  drop_returned();
  if (good) {
    ++stats.compiled_runs;
    stats.compiled_nodes += writer.nodes.size();
    return true;
  }
  return false;
}

}  // namespace

PlanOptions& plan_options() {
  static auto* const options = [] {
    auto* made = new PlanOptions;
    const char* evaluator = std::getenv("SKALD_EVALUATOR");
    if (evaluator && std::strcmp(evaluator, "numpy") == 0) made->evaluator = Evaluator::kNumpy;
    if (evaluator && std::strcmp(evaluator, "compiled") == 0)
      made->evaluator = Evaluator::kCompiled;
    if (const char* backend = std::getenv("SKALD_BACKEND")) made->backend = backend;
    return made;
  }();
  return *options;
}

uint64_t scalar_bits(DType type, const Scalar& scalar) {
  uint64_t bits = 0;
  if (type == DType::kBool) {
    bits = scalar.b ? 1 : 0;
  } else if (type == DType::kF64) {
    std::memcpy(&bits, &scalar.d, 8);
  } else if (type == DType::kF32) {
    const auto value = static_cast<float>(scalar.d);
    std::memcpy(&bits, &value, 4);
  } else if (type == DType::kF16) {
    // Only fails for numbers that were seen to fit.
    if (PyFloat_Pack2(scalar.d, reinterpret_cast<char*>(&bits), 1) < 0) PyErr_Clear();
  } else {
    std::memcpy(&bits, &scalar.u, static_cast<size_t>(lazy::item_size(type)));
  }
  return bits;
}

static void give_back(void*, void* buffer) {
  const std::lock_guard lock(returned().mutex);
  returned().buffers.push_back(static_cast<Buffer*>(buffer));
}

void add_array(lazy::EngineCall& call, const Node* node, Buffer* buffer, bool give) {
  lazy::EngineArray& array = call.arrays.emplace_back();
  if (buffer->data) array.data = static_cast<std::byte*>(buffer->data) + node->byte_offset;
  // Others may have changed it.
  if (buffer->exports > 0) buffer->forget_device();
  array.device = buffer->device;
  array.type = node->type;
  array.bytes = node->count() * lazy::item_size(node->type);
  array.shape.assign(node->shape.begin(), node->shape.end());
  if (!give || node->shape.empty()) return;
  buffer->device = nullptr;
  buffer->retain();
  array.release = give_back;
  array.argument = buffer;
}

// Copies that were made on the device are used again.
static void keep_copies(CachedPlan* plan, lazy::EngineCall& call,
                        const std::vector<Buffer*>& buffers) {
  for (size_t i = 0; i < call.arrays.size(); ++i) {
    const lazy::EngineArray& array = call.arrays[i];
    if (!array.device || array.device == buffers[i]->device) continue;
    buffers[i]->forget_device();
    buffers[i]->device = array.device;
    buffers[i]->release_device = compiler().api->drop_device;
    buffers[i]->owner = plan;
  }
}

bool bring_home(Buffer* buffer) {
  if (buffer->data || !buffer->device) return true;
  Buffer* room = lazy::new_buffer(buffer->bytes);
  if (!room) {
    PyErr_NoMemory();
    return false;
  }
  std::string message;
  bool good = false;
  auto* plan = static_cast<CachedPlan*>(buffer->owner);
  Py_BEGIN_ALLOW_THREADS good =
      compiler().api->download(plan->program, buffer->device, room->data, message);
  Py_END_ALLOW_THREADS if (!good) {
    room->drop();
    PyErr_Format(PyExc_RuntimeError, "skald: %s", message.c_str());
    return false;
  }
  buffer->data = std::exchange(room->data, nullptr);
  buffer->release = std::exchange(room->release, nullptr);
  buffer->argument = room->argument;
  room->drop();
  return true;
}

bool finish_devices() {
  if (!compiler().api) return true;
  std::string message;
  bool good = false;
  Py_BEGIN_ALLOW_THREADS good = compiler().api->finish(message);
  Py_END_ALLOW_THREADS if (!good) PyErr_Format(PyExc_RuntimeError, "skald: %s", message.c_str());
  return good;
}

Buffer* take_result(CachedPlan* plan, lazy::EngineCall& call, size_t number,
                    const std::vector<Buffer*>& given) {
  lazy::EngineArray& array = call.results[number];
  for (size_t k = 0; k < call.arrays.size(); ++k) {
    // Changed in place.
    if (call.arrays[k].release && array.data && call.arrays[k].data == array.data &&
        array.bytes > 0) {
      given[k]->retain();
      array.release(array.data, array.argument);
      return given[k];
    }
  }
  auto* buffer = new Buffer;
  buffer->data = array.data;
  buffer->bytes = array.bytes;
  buffer->release = array.release;
  buffer->argument = array.argument;
  if (array.device) {
    buffer->device = array.device;
    buffer->release_device = compiler().api->drop_device;
    buffer->owner = plan;
  }
  return buffer;
}

bool call_plan(CachedPlan* plan, lazy::EngineCall& call, const std::vector<Buffer*>& given) {
  std::string message;
  bool good = false;
  const double started = now();
  Py_BEGIN_ALLOW_THREADS good = compiler().api->run(plan->program, call, message);
  Py_END_ALLOW_THREADS stats.running += now() - started;
  keep_copies(plan, call, given);
  if (good) return true;
  if (message.find("memory") != std::string::npos) {
    PyErr_SetString(PyExc_MemoryError, message.c_str());
  } else {
    PyErr_Format(PyExc_RuntimeError, "skald: a compiled plan failed: %s", message.c_str());
  }
  return false;
}

const lazy::EngineApi* engine_api() {
  return has_compiler() ? compiler().api : nullptr;
}
const std::vector<std::string>& engine_op_names() {
  return compiler().op_names;
}

bool node_can_be_compiled(const Node* node) {
  if (lazy::is_complex(node->type) || node->count() == 0) return false;
  for (int i = 0; i < node->input_count; ++i) {
    const Input& input = node->inputs[i];
    if (lazy::is_complex(input.type) || (input.node && input.view.count() == 0)) return false;
  }
  return kind_can_be_compiled(node);
}

const std::string& engine_problem() {
  has_compiler();
  return compiler().problem;
}

const std::vector<std::string>& compile_failures() {
  return compiler().failures;
}

void drop_returned() {
  std::vector<Buffer*> buffers;
  {
    const std::lock_guard lock(returned().mutex);
    buffers.swap(returned().buffers);
  }
  for (Buffer* buffer : buffers) buffer->drop();
}

// Elements that a node reads or writes, whichever says more of its time.
static int64_t work_of(const Node* node) {
  switch (node->kind) {
    case NodeKind::kReduce: return node->inputs[0].view.count();
    case NodeKind::kAssign: return node->target.count();
    case NodeKind::kCall: return call_elements(node);
    default: return node->count();
  }
}

int run_compiled(Node* first, int64_t& count) {
  count = 1;
  if (plan_options().evaluator == Evaluator::kNumpy || !has_compiler()) return 0;
  Node* end = first;
  int64_t length = 0;
  double elements = 0;
  while (end && can_be_compiled(end)) {
    elements += static_cast<double>(work_of(end));
    end = end->next;
    ++length;
  }
  if (length == 0) return 0;
  count = length;
  const double seconds = kNumpyOperation * static_cast<double>(length) + kNumpyElement * elements;
  // Not even worth being remembered: little to do, or much that is computed here (direct.h) as fast
  // as a plan is looked up.
  const bool small = elements < static_cast<double>(length) * lazy::kFewElements / 8;
  if (plan_options().evaluator == Evaluator::kAuto && plan_options().hot == 0 &&
      (seconds < kCall || small))
    return 0;
  static auto* const kept = new lazy::PlanWriter;
  lazy::PlanWriter& writer = *kept;
  const double started = now();
  writer.write(first, end);
  CachedPlan* plan = find_plan(writer);
  stats.planning += now() - started;
  // Compiling and running let other threads go on, which may drop nodes.
  const Held held(writer);
  if (!is_ready(plan, writer, seconds)) {
    plan->numpy_seconds += seconds;
    last_cold() = {plan, seconds, now()};
    return 0;
  }
  const double run_started = now();
  const bool good = run_plan(plan, writer);
  // Which function failed is found out one by one; all that does not need it goes on.
  if (!good && has_calls(writer)) {
    PyErr_Clear();
    return 0;
  }
  // The first run may have compiled kernels.
  if (good && plan->runs++ > 0) plan->note(plan->compiled_share, (now() - run_started) / seconds);
  return good ? 1 : -1;
}

void numpy_has_run() {
  LastCold& last = last_cold();
  if (last.plan) last.plan->note(last.plan->numpy_share, (now() - last.started) / last.seconds);
  last.plan = nullptr;
}

std::string show_pending() {
  Node* first = lazy::pending().first();
  if (!first || !has_compiler()) return {};
  Node* end = first;
  while (end && can_be_compiled(end)) end = end->next;
  lazy::PlanWriter writer;
  writer.write(first, end);
  return compiler().api->show(writer.code, compiler().op_names);
}

void stop_compiling() {
  Compiler& c = compiler();
  std::unique_lock lock(c.mutex);
  c.stop = true;
  c.queue.clear();
  c.wake.notify_all();
  if (!c.worker.joinable()) return;
  // A large plan takes seconds: nobody should wait for it at the end.  The thread may then still
  // use what the process would tear down, so it ends without that.
  const bool ended =
      c.ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return c.has_ended; });
  lock.unlock();
  if (ended) {
    c.worker.join();
    return;
  }
  c.worker.detach();
  on_exit(
      [](int status, void*) {
        std::fflush(nullptr);
        _exit(status);
      },
      nullptr);
}

}  // namespace skald::python
