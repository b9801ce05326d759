// SPDX-License-Identifier: Apache-2.0
// A plan with its program, and how it is called; what loops that are replayed need of it.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "common.h"
#include "frontend/lazy/engine_api.h"
#include "frontend/lazy/plan.h"
#include "plans.h"

namespace skald::python {

enum State : int { kCold, kCompiling, kReady, kFailed };

struct CachedPlan {
  std::vector<int64_t> code;
  lazy::Plan plan;
  std::atomic<int> state = kCold;
  lazy::EngineProgram* program = nullptr;
  std::string message;
  double seconds = 0;        // that compiling took
  double numpy_seconds = 0;  // that NumPy spent on it, about
  int seen = 0, runs = 0;
  bool was_sought = false, is_kept = false;  // on disk, where an earlier run left its code
  // Time needed by NumPy and by the program, as shares of what NumPy was thought to need; the least
  // that was seen.  0: not known yet.
  double numpy_share = 0, compiled_share = 0;

  static void note(double& least, double share) {
    if (least == 0 || share < least) least = share;
  }
  // NumPy is faster, as far as is known.  Now and then the program gets another chance.
  bool is_slower() const {
    return numpy_share > 0 && compiled_share > 1.1 * numpy_share && runs > 4 && seen % 64 != 0;
  }
};

// The bits of a constant in its own type.
uint64_t scalar_bits(DType type, const Scalar& scalar);
// Lends the memory of an array for a call, or gives it away.
void add_array(lazy::EngineCall& call, const Node* node, Buffer* buffer, bool give);
// The memory of a result, which may be that of one of the arrays that were `given`.
Buffer* take_result(CachedPlan* plan, lazy::EngineCall& call, size_t number,
                    const std::vector<Buffer*>& given);
// `given`: the memory of its arrays.  False: an exception is set.
bool call_plan(CachedPlan* plan, lazy::EngineCall& call, const std::vector<Buffer*>& given);

// What one round of a loop did.
struct Trace {
  CachedPlan* plan = nullptr;
  int runs = 0;  // programs, or nodes that NumPy ran
  std::vector<int64_t> symbols;
  std::vector<lazy::Scalar> scalars;
  std::vector<Node*> externals, outputs;  // not owned
  std::vector<uint64_t> external_ids, output_ids;

  void note(CachedPlan* cached, const lazy::PlanWriter& writer);
};
// Null: nobody wants to know.
Trace*& current_trace();

// func(*args, **kwargs) up to `rounds` times (-1: no limit), while it gives None or something true.
// Once two rounds did the same, the others run without Python.
PyObject* do_while(PyObject* func, int64_t rounds, PyObject* args, PyObject* kwargs);

}  // namespace skald::python
