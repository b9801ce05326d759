// SPDX-License-Identifier: Apache-2.0
// Running what is pending: in compiled programs, or by NumPy node by node.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

#include "evaluate.h"
#include "places.h"
#include "plan_cache.h"
#include "plans.h"
#include "product_rows.h"
#include "recording.h"
#include "shared_products.h"

namespace skald::python {

Stats stats;

namespace {

// Only one thread runs what is pending; a function of the user that is called meanwhile may come
// back here.
struct Running {
  std::mutex mutex;
  std::condition_variable done;
  bool busy = false;
  std::thread::id thread;
};
Running& running() {
  static auto* const state = new Running;
  return *state;
}

}  // namespace

Turn begin_running() {
  Running& state = running();
  if (state.busy && state.thread == std::this_thread::get_id()) return Turn::kInside;
  while (state.busy) {
    Py_BEGIN_ALLOW_THREADS {
      std::unique_lock lock(state.mutex);
      state.done.wait_for(lock, std::chrono::milliseconds(10));
    }
    Py_END_ALLOW_THREADS if (PyErr_CheckSignals() != 0) return Turn::kInterrupted;
  }
  state.busy = true;
  state.thread = std::this_thread::get_id();
  return Turn::kOurs;
}
void end_running() {
  running().busy = false;
  running().done.notify_all();
}

namespace {

// The nodes that `node` needs, oldest first.
bool run_only(Node* node) {
  std::vector<Node*> needed, open{node};
  std::unordered_set<Node*> seen;
  while (!open.empty()) {
    Node* next = open.back();
    open.pop_back();
    if (!next->is_pending() || !seen.insert(next).second) continue;
    needed.push_back(next);
    for (int i = 0; i < next->input_count; ++i) {
      if (next->inputs[i].node) open.push_back(next->inputs[i].node);
    }
  }
  std::sort(needed.begin(), needed.end(),
            [](const Node* a, const Node* b) { return a->id < b->id; });
  for (Node* each : needed) each->retain();
  bool good = true;
  for (Node* each : needed) {
    good = good && (!each->is_pending() || evaluate_by_numpy(each));
    each->drop();
  }
  return good;
}

bool needs_failed(const Node* node) {
  for (int i = 0; i < node->input_count; ++i) {
    const Node* from = node->inputs[i].node;
    if (from && from->kind == NodeKind::kFailed) return true;
  }
  return false;
}

bool run_by_numpy(Node* first, int64_t count) {
  std::vector<Node*> nodes;
  for (Node* node = first; node && count > 0; node = node->next, --count) {
    node->retain();
    nodes.push_back(node);
  }
  bool good = true;
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node* node = nodes[i];
    // Whoever interrupts the program finds all that is not done yet still pending.
    if (good && node->count() > lazy::kFewElements && PyErr_CheckSignals() != 0) good = false;
    // Nobody but this list needs it any more.
    const bool wanted = node->refs > 1;
    const Done pair = good && i + 1 < nodes.size() ? evaluate_pair(node, nodes[i + 1]) : Done::kNo;
    if (pair == Done::kFailed) {
      good = false;
      tell_places(node);
      give_up(node);
    }
    if (good && wanted && node->kind == NodeKind::kProduct) good = multiply_rows(node);
    if (pair == Done::kNo && good && wanted && node->is_pending()) {
      const bool hopeless = needs_failed(node);
      good = evaluate_by_numpy(node);
      // What cannot be computed must not be tried again for ever.
      if (!good && !hopeless) tell_places(node);
      if (!good) give_up(node);
      // Why was said before, and will be said again to those who ask for this node.
      if (hopeless) {
        PyErr_Clear();
        good = true;
      }
    }
    node->drop();
  }
  return good;
}

}  // namespace

// So many nodes may wait before somebody looks for a loop among them; more, if there was none.
static constexpr int64_t kManyWaiting = 1024;
static int64_t many_waiting = kManyWaiting;

// What is pending; of `only_loops` no more than loops, and what is before them.
static bool run_pending(bool only_loops) {
  // What is recorded for a function is run when that is called.
  if (is_recording()) return true;
  if (!lazy::pending().first()) return true;
  const Turn turn = begin_running();
  if (turn != Turn::kOurs) return turn == Turn::kInside;
  ++stats.flushes;
  many_waiting = kManyWaiting;
  forget_row();
  bool good = only_loops || multiply_shared();
  while (lazy::pending().first() && good) {
    good = multiply_rows(lazy::pending().first());
    Node* const node = good ? lazy::pending().first() : nullptr;
    if (!node) break;
    int64_t count = 1;
    // A plan sees who else holds a node, so nothing may be held here.
    const int compiled = run_compiled(node, count, only_loops);
    if (compiled == 0 && count == 0) {
      many_waiting = std::max(kManyWaiting, 2 * lazy::pending().size());
      break;
    }
    if (compiled < 0) good = false;
    // Another thread may have dropped it meanwhile.
    if (compiled == 0 && lazy::pending().first() == node) {
      good = run_by_numpy(node, count);
      numpy_has_run();
    }
  }
  end_running();
  return good;
}

bool flush_all() {
  return run_pending(false);
}

bool flush_some() {
  constexpr int64_t kMostWaiting = 20000;
  const lazy::Pending& waiting = lazy::pending();
  const int64_t count = waiting.size();
  if (count < kManyWaiting || current_trace()) return true;
  if (count >= kMostWaiting) return run_pending(false);
  if (count >= many_waiting && !run_pending(true)) return false;
  // Nodes of few elements are worth no plan, so nothing is gained by keeping more of them than fit
  // a cache.
  return waiting.size() < kManyWaiting || waiting.large() > 0 || run_pending(false);
}

bool force_node(Node* node) {
  if (!flush_all()) return false;
  return !node->is_pending() || run_only(node);
}

// What could not be written leaves the array as it was.
static bool keep_what_was(Node* node) {
  const int at = node->kind == NodeKind::kAssign ? 1 : node->replaces;
  const Node* old = at > 0 && at <= node->input_count ? node->inputs[at - 1].node : nullptr;
  if (!old || !old->buffer || old->is_compressed || node->is_masked) return false;
  Buffer* buffer = old->buffer;
  if (!buffer->data && !buffer->device) return false;
  buffer->retain();
  lazy::set_value(node, buffer, old->byte_offset);
  return true;
}

void give_up(Node* node) {
  if (!node->is_pending() || node->kind == NodeKind::kFailed) return;
  // Whoever interrupts the program may go on with it: nothing was found out about the node.
  if (!PyErr_ExceptionMatches(PyExc_Exception)) return;
  forget_rows();
  if (!keep_what_was(node)) lose(node);
}

void lose(Node* node) {
  if (!node->is_pending() || node->kind == NodeKind::kFailed) return;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  // Not the exception itself: it will hold the frames it goes through, and these our arrays.
  Ref args(value ? PyObject_GetAttrString(value, "args") : PyTuple_New(0));
  if (node->list) node->list->remove(node);
  node->release_inputs();
  node->kind = NodeKind::kFailed;
  node->payload = PyTuple_Pack(2, type ? type : PyExc_RuntimeError, args ? args.get() : Py_None);
  node->drop_payload = [](void* payload) { Py_XDECREF(static_cast<PyObject*>(payload)); };
  PyErr_Restore(type, value, trace);
}

bool settle_if_exported(const Base* base) {
  return !(base->is_exported() || plan_options().tells_errors) || flush_all();
}

}  // namespace skald::python
