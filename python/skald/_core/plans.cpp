// SPDX-License-Identifier: Apache-2.0
#include "plans.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "budget.h"
#include "calls.h"
#include "compiler.h"
#include "evaluate.h"
#include "masks.h"
#include "places.h"
#include "plan_cache.h"
#include "plan_rows.h"
#include "refused.h"
#include "ufunc.h"

namespace skald::python {

namespace {

// What compiling a plan takes, about: a little for each node that is a line in a loop, more for one
// that is a loop.  A part of that must NumPy have spent on a plan before it is compiled beside it,
// and a few times as much must it need at once before somebody waits for the compiler.  So a script
// is never much slower than it would be without one.
constexpr double kCompilePlan = 0.02, kCompileLine = 0.0003, kCompileLoop = 0.02;
constexpr double kWorthCompiling = 0.1, kWorthWaiting = 3, kSpentFirst = 0.015;
// Code from the disk is there after this.  It is looked for once NumPy has spent a little on a
// plan.
constexpr double kLoadPlan = 0.005, kWorthSeeking = 0.0005;
// The compiler itself is there after as long.  It is loaded when a plan may be compiled.
constexpr double kWorthLoading = kSpentFirst;
// Now and then a program that was slower gets another chance.
constexpr int kAnotherChance = 64;
// Where BLAS needs nearly all of the time, no program is better.
constexpr double kWorthSaving = 0.1;
double compile_seconds(const lazy::Plan& plan) {
  const auto is_line = [](const lazy::PlanNode& node) {
    const bool computes = node.kind == NodeKind::kElementwise || node.kind == NodeKind::kCast ||
                          node.kind == NodeKind::kFill || node.kind == NodeKind::kIota;
    return computes && !node.is_output;
  };
  const auto lines = std::count_if(plan.nodes.begin(), plan.nodes.end(), is_line);
  return kCompilePlan + kCompileLine * static_cast<double>(lines) +
         kCompileLoop * static_cast<double>(static_cast<int64_t>(plan.nodes.size()) - lines);
}

// By hash; nothing is ever removed.
using Plans = std::unordered_multimap<uint64_t, std::unique_ptr<CachedPlan>>;
Plans& plans() {
  static auto* const all = new Plans;
  return *all;
}

CachedPlan* find_plan(const lazy::PlanWriter& writer) {
  auto [it, end] = plans().equal_range(writer.hash);
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
  return plans().emplace(writer.hash, std::move(plan))->second.get();
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
  Needed thought;
  double started = 0;
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

// Did an earlier run of the script leave a program for it?
void seek(CachedPlan* plan, double seconds) {
  if (plan->was_sought || plan->numpy_seconds + seconds < kWorthSeeking) return;
  plan->was_sought = true;
  plan->is_kept =
      engine_api()->is_kept(plan->code, engine_op_names(), plan_options().backend.c_str());
}

// Is there a program now?
bool is_ready(CachedPlan* plan, const lazy::PlanWriter& writer, Needed needed) {
  const PlanOptions& options = plan_options();
  ++plan->seen;
  // NumPy would store what is refused.
  const bool always = options.evaluator == Evaluator::kCompiled || is_refusing();
  if (plan->state.load() == kCold) {
    seek(plan, needed.savable);
    const double compiling = plan->is_kept ? kLoadPlan : compile_seconds(plan->plan);
    const double enough =
        plan->is_kept ? kWorthSeeking : std::max(kSpentFirst, kWorthCompiling * compiling);
    const bool hot =
        options.hot > 0 ? plan->seen >= options.hot : plan->numpy_seconds + needed.savable > enough;
    // Not every operation takes what was thought.
    const double likely = std::max(needed.savable, needed.all * plan->shares.numpy(needed.all));
    const bool pays = options.hot > 0 || needed.savable > kWorthSaving * needed.all;
    plan->thought = compiling;
    CompileBudget& budget = CompileBudget::of_process();
    if (always || (pays && (likely > kWorthWaiting * compiling || (hot && !options.background)))) {
      Py_BEGIN_ALLOW_THREADS compile_now(plan);
      Py_END_ALLOW_THREADS budget.note_compiled(compiling);
    } else if (hot && pays && (plan->is_kept || options.hot > 0 || budget.allows(compiling))) {
      compile_later(plan, writer);
      budget.note_compiled(compiling);
    }
  }
  if (plan->state.load() == kFailed && !plan->message.empty()) {
    note_failure(std::exchange(plan->message, {}));
  }
  return plan->state.load() == kReady && !must_tell_errors() &&
         (always || plan->seen % kAnotherChance == 0 || !plan->shares.prefer_numpy(needed.all));
}

bool run_plan(CachedPlan* cached, lazy::PlanWriter& writer) {
  const lazy::Plan& plan = cached->plan;
  lazy::EngineCall call;
  add_numbers(cached, writer, call);
  std::vector<Buffer*> buffers, copies;
  for (size_t i = 0; i < writer.externals.size(); ++i) {
    Node* node = writer.externals[i];
    const bool exclusive = plan.externals[i].is_exclusive;
    if (exclusive && plan.is_loop && writer.must_copy[i]) {
      buffers.push_back(add_copy(call, node));
      copies.push_back(buffers.back());
      if (!copies.back()) {
        PyErr_NoMemory();
        break;
      }
      continue;
    }
    buffers.push_back(node->buffer);
    add_array(call, node, node->buffer, exclusive);
  }
  TableMemory tables;
  add_tables(cached, writer, writer.symbols.empty() ? 0 : writer.symbols.back(), call, tables);
  const bool good = !PyErr_Occurred() && call_plan(cached, call, buffers);
  if (Trace* trace = current_trace()) trace->note(cached, writer);
  if (good) {
    for (size_t i = 0; i < writer.outputs.size(); ++i) {
      lazy::set_value(writer.outputs[i], take_result(cached, call, i, buffers));
    }
  }
  for (Buffer* buffer : copies) {
    if (buffer) buffer->drop();
  }
  drop_returned();
  if (good) {
    ++stats.compiled_runs;
    if (plan.is_loop) ++stats.loops;
    stats.compiled_nodes += writer.nodes.size();
    return true;
  }
  return false;
}

}  // namespace

bool has_calls(const lazy::PlanWriter& writer) {
  for (const Node* node : writer.nodes) {
    if (node->kind == NodeKind::kCall) return true;
  }
  return false;
}

PlanOptions& plan_options() {
  static auto* const options = [] {
    auto* made = new PlanOptions;
    const char* evaluator = std::getenv("SKALD_EVALUATOR");
    if (evaluator && std::strcmp(evaluator, "numpy") == 0) made->evaluator = Evaluator::kNumpy;
    if (evaluator && std::strcmp(evaluator, "compiled") == 0)
      made->evaluator = Evaluator::kCompiled;
    if (const char* backend = std::getenv("SKALD_BACKEND")) made->backend = backend;
    made->is_cpu = made->backend == "cpu";
    return made;
  }();
  return *options;
}

namespace {

// A program of more takes too long to compile.
constexpr int64_t kLongestPlan = 1500;

// Programs read all elements of what was computed for some only.
bool expand_masked(Node* first, const Row& row) {
  if (lazy::compressed_nodes() == 0) return true;
  for (const Node* node = first; node != row.end; node = node->next) {
    if (!expand_inputs(node)) return false;
  }
  return true;
}

// Looks for a loop of Python in the row.  If the row begins with one, the loop is written, and the
// row is its rounds.  If there is one later, the row ends there.
bool write_loop(Node* first, Row& row, lazy::PlanWriter& writer) {
  static uint64_t none_until = 0;  // the last node of a row without loops
  const uint64_t last = row.end ? row.end->id - 1 : lazy::Pending::recorded();
  if (row.length < kShortestLoop || last == none_until || current_trace() || is_refusing() ||
      plan_options().backend != "cpu")
    return false;
  // What was found later in a row is looked up when the nodes before it have run.
  static lazy::Repetition loop;
  static uint64_t loop_at = 0;
  if (first->id != loop_at && !writer.find_loop(first, row.length, loop)) {
    none_until = last;
    return false;
  }
  if (loop.start > 0) {
    row.cut(first, loop.start);
    loop.start = 0;
    loop_at = row.end ? row.end->id : 0;
    return false;
  }
  const int64_t rounds = writer.write_rounds(first, loop.period, loop.rounds);
  if (rounds > 0) row.cut(first, rounds * loop.period);
  return rounds > 0;
}

constexpr int kAgain = 2;

// What becomes of a plan whose run failed: -1, or that it must be written again.
int after_failure(const lazy::PlanWriter& writer, const lazy::Plan& plan) {
  if (give_up_spoiled(writer, plan)) return -1;
  if (PyErr_ExceptionMatches(PyExc_MemoryError) && refuse_largest(writer)) {
    PyErr_Clear();
    return kAgain;
  }
  tell_places(writer.nodes.front());
  give_up(writer.nodes.front());
  return -1;
}

// As run_compiled, for the plan in `writer`, for which NumPy would need so long.
int run_written(lazy::PlanWriter& writer, Needed needed) {
  // Compiling and running let other threads go on, which may drop nodes.
  const Held held(writer);
  if (writer.outputs.empty()) return give_up_refused(writer) ? 0 : -1;
  const double started = now();
  CachedPlan* plan = find_plan(writer);
  stats.planning += now() - started;
  if (refuse_what_does_not_fit(writer, plan->plan)) return kAgain;
  if (!is_ready(plan, writer, needed)) {
    plan->numpy_seconds += needed.savable;
    CompileBudget::of_process().note_savable(needed.savable);
    last_cold() = {plan, needed, now()};
    forget_refused(writer);
    return 0;
  }
  const double run_started = now();
  const bool good = run_plan(plan, writer);
  // Which function failed is found out one by one; all that does not need it goes on.
  if (!good && has_calls(writer)) {
    PyErr_Clear();
    forget_refused(writer);
    return 0;
  }
  if (!good) return after_failure(writer, plan->plan);
  // The first run may have compiled kernels.  Looking for the plan is paid for whoever runs it.
  if (plan->runs == 0) keep_later(plan);
  if (plan->runs++ > 0) {
    const double seconds = now() - run_started;
    plan->shares.note_run(seconds, needed.all);
    CompileBudget::of_process().note_run(seconds, needed.all * plan->shares.numpy(needed.all));
  }
  return give_up_refused(writer) ? 1 : -1;
}

}  // namespace

// Seconds that NumPy has spent before the compiler was loaded.
static double spent_unloaded = 0;

static bool may_load_later() {
  const PlanOptions& options = plan_options();
  return spent_unloaded < kWorthLoading && !compiler_is_loaded() && options.is_cpu &&
         options.evaluator == Evaluator::kAuto && options.hot == 0 && !is_refusing();
}

int run_compiled(Node* first, int64_t& count, bool only_loops) {
  count = 1;
  if (may_load_later()) {
    const Ahead ahead = up_to_product(first);
    const double spent = spent_unloaded + ahead.seconds;
    if (!only_loops || spent >= kWorthLoading) spent_unloaded = spent;
    if (spent < kWorthLoading) {
      count = only_loops ? 0 : ahead.count;
      return 0;
    }
  }
  if (plan_options().evaluator == Evaluator::kNumpy || !has_compiler()) {
    count = lazy::pending().size();
    return 0;
  }
  Row row(first);
  if (row.length == 0) return 0;
  count = row.length;
  const bool chooses = plan_options().evaluator == Evaluator::kAuto && plan_options().hot == 0;
  if (chooses && row.is_little()) return 0;
  if (!expand_masked(first, row)) return -1;
  static auto* const kept = new lazy::PlanWriter;
  lazy::PlanWriter& writer = *kept;
  const double started = now();
  const int64_t whole = row.length;
  const bool is_loop = write_loop(first, row, writer);
  count = row.length;
  if (!is_loop && only_loops && row.length == whole) {
    count = 0;
    return 0;
  }
  if (!is_loop) {
    if (row.length > kLongestPlan) row.cut(first, kLongestPlan);
    count = row.length;
    if (chooses && row.is_little()) return 0;
    writer.write(first, row.end);
  }
  stats.planning += now() - started;
  int done = run_written(writer, row.needed());
  while (done == kAgain) {
    // Of a loop only all rounds together can be refused.
    if (row.length > kLongestPlan) row.cut(first, kLongestPlan);
    count = row.length;
    writer.write(first, row.end);
    done = run_written(writer, row.needed());
  }
  return done;
}

void numpy_has_run() {
  LastCold& last = last_cold();
  if (last.plan) {
    const double needed = now() - last.started;
    last.plan->shares.note_numpy(needed, last.thought.all);
    const double more = std::max(0.0, needed - last.thought.savable);
    last.plan->numpy_seconds += more;
    CompileBudget::of_process().note_savable(more);
  }
  last.plan = nullptr;
}

void keep_plans(double seconds) {
  const double started = now();
  for (auto& [hash, plan] : plans()) {
    if (now() - started > seconds) return;
    if (plan->state.load() == kReady && plan->runs > 0) engine_api()->keep(plan->program);
  }
}

std::string show_pending() {
  Node* first = lazy::pending().first();
  if (!first || !has_compiler()) return {};
  lazy::PlanWriter writer;
  forget_row();
  Row row(first);
  if (!write_loop(first, row, writer)) writer.write(first, row.end);
  return engine_api()->show(writer.code, engine_op_names(), plan_options().backend.c_str());
}

}  // namespace skald::python
