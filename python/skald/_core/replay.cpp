// SPDX-License-Identifier: Apache-2.0
// Loops whose rounds do the same: recorded twice, then replayed without Python.
//
// A round is known by its one program, the arrays that went in and those that came out.  An array
// that goes in is the same in each round, or it is what came out of the round before.
#include <cstring>

#include "evaluate.h"
#include "plan_cache.h"

namespace skald::python {

void Trace::note(CachedPlan* cached, const lazy::PlanWriter& writer) {
  plan = cached;
  ++runs;
  symbols = writer.symbols;
  scalars = writer.scalars;
  externals = writer.externals;
  outputs = writer.outputs;
  for (const Node* node : externals) external_ids.push_back(node->id);
  for (const Node* node : outputs) output_ids.push_back(node->id);
}

Trace*& current_trace() {
  static Trace* trace = nullptr;
  return trace;
}

namespace {

class Replay {
 public:
  // Did two rounds do the same?  Then it knows where the arrays of the next one come from.
  bool learn(const Trace& before, const Trace& now, const Node* condition) {
    if (before.runs != 1 || now.runs != 1 || before.plan != now.plan) return false;
    if (before.symbols != now.symbols || before.scalars.size() != now.scalars.size()) return false;
    if (!before.scalars.empty() && std::memcmp(before.scalars.data(), now.scalars.data(),
                                               before.scalars.size() * sizeof(Scalar)) != 0) {
      return false;
    }
    for (size_t i = 0; i < now.externals.size(); ++i) {
      int source = -1;
      for (size_t k = 0; k < before.output_ids.size(); ++k) {
        if (before.output_ids[k] == now.external_ids[i]) source = static_cast<int>(k);
      }
      const bool fixed = source < 0 && before.external_ids[i] == now.external_ids[i] &&
                         !now.plan->plan.externals[i].is_exclusive;
      if (source < 0 && !fixed) return false;
      sources_.push_back(source);
    }
    for (size_t k = 0; k < now.outputs.size(); ++k) {
      // Dropped when the round was over, or by another thread.
      if (now.outputs[k]->id != now.output_ids[k] || now.outputs[k]->is_pending() ||
          now.outputs[k]->refs == 0) {
        return false;
      }
      if (now.outputs[k] == condition) condition_ = static_cast<int>(k);
    }
    if (condition && (condition_ < 0 || condition->type != DType::kBool)) return false;
    return true;
  }

  // False: an exception is set.
  bool run(const Trace& trace, int64_t rounds) {
    plan_ = trace.plan;
    for (Node* node : trace.outputs) {
      node->retain();
      outputs_.push_back(node);
      current_.push_back(std::exchange(node->buffer, nullptr));
    }
    bool good = true;
    for (int64_t i = 0; good && i != rounds; ++i) {
      good = round(trace) && PyErr_CheckSignals() == 0;
      if (condition_ < 0 || !good) continue;
      Buffer* condition = current_[static_cast<size_t>(condition_)];
      good = bring_home(condition);
      if (good && !*static_cast<const bool*>(condition->data)) break;
    }
    for (size_t k = 0; k < outputs_.size(); ++k) {
      outputs_[k]->buffer = current_[k];
      outputs_[k]->byte_offset = 0;
      outputs_[k]->drop();
    }
    return good;
  }

 private:
  bool round(const Trace& trace) {
    lazy::EngineCall call;
    call.symbols = trace.symbols;
    for (size_t i = 0; i < trace.scalars.size(); ++i) {
      call.scalars.push_back(scalar_bits(plan_->plan.scalars[i], trace.scalars[i]));
    }
    std::vector<Buffer*> buffers;
    for (size_t i = 0; i < sources_.size(); ++i) {
      const bool fixed = sources_[i] < 0;
      const Node* shape = fixed ? trace.externals[i] : outputs_[static_cast<size_t>(sources_[i])];
      Buffer* buffer =
          fixed ? trace.externals[i]->buffer : current_[static_cast<size_t>(sources_[i])];
      buffers.push_back(buffer);
      add_array(call, shape, buffer, plan_->plan.externals[i].is_exclusive);
    }
    if (!call_plan(plan_, call, buffers)) return false;
    std::vector<Buffer*> results;
    for (size_t k = 0; k < outputs_.size(); ++k)
      results.push_back(take_result(plan_, call, k, buffers));
    for (Buffer* buffer : current_) buffer->drop();
    current_ = std::move(results);
    drop_returned();
    ++stats.replayed;
    return true;
  }

  CachedPlan* plan_ = nullptr;
  std::vector<int> sources_;  // for each array that goes in: a result of the round before, or -1
  int condition_ = -1;        // among the results
  std::vector<Node*> outputs_;
  std::vector<Buffer*> current_;
};

// 1: go on, 0: stop, -1: an exception is set.
int goes_on(PyObject* result) {
  if (result == Py_None) return 1;
  return PyObject_IsTrue(result);
}

}  // namespace

PyObject* do_while(PyObject* func, int64_t rounds, PyObject* args, PyObject* kwargs) {
  if (!flush_all()) return nullptr;
  Trace before, now;
  for (int64_t i = 0; i != rounds; ++i) {
    now = Trace();
    Trace* const outer = std::exchange(current_trace(), &now);
    Ref result(PyObject_Call(func, args, kwargs));
    const bool good = result && flush_all();
    current_trace() = outer;
    if (!good) return nullptr;
    const int next = goes_on(result.get());
    if (next < 0) return nullptr;
    if (next == 0) break;
    const Node* condition =
        is_array(result.get()) ? as_array(result.get())->base->current : nullptr;
    Replay replay;
    if (outer == nullptr && (condition || result.get() == Py_None) &&
        replay.learn(before, now, condition)) {
      // The result is one of the arrays that are replayed.
      const Turn turn = begin_running();
      if (turn == Turn::kInterrupted) return nullptr;
      if (turn == Turn::kInside) continue;
      const bool replayed = replay.run(now, rounds < 0 ? -1 : rounds - i - 1);
      end_running();
      if (!replayed) return nullptr;
      break;
    }
    before = now;
  }
  Py_RETURN_NONE;
}

}  // namespace skald::python
