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

// Time needed by NumPy and by the program, as shares of what NumPy was thought to need, for calls
// of about the same size: what fits a cache has other shares than what does not.
class Shares {
 public:
  void note_numpy(double seconds, double thought);
  void note_run(double seconds, double thought);
  // 0: not known yet.
  double numpy(double thought) const { return of(thought).numpy > 0 ? of(thought).numpy : least_; }
  // Should NumPy run a call of this size?
  bool prefer_numpy(double thought) const;

 private:
  // The least that was seen.
  struct Size {
    double numpy = 0, program = 0;
    double wasted = 0;  // seconds that the program took longer than NumPy would have
    int runs = 0;
  };
  static constexpr int kSizes = 24;
  static int number_of(double thought);
  Size& of(double thought) { return sizes_[number_of(thought)]; }
  const Size& of(double thought) const { return sizes_[number_of(thought)]; }
  static void note(double& least, double share);

  Size sizes_[kSizes];
  double least_ = 0;  // NumPy's, of all sizes
};

struct CachedPlan {
  std::vector<int64_t> code;
  lazy::Plan plan;
  std::atomic<int> state = kCold;
  lazy::EngineProgram* program = nullptr;
  std::string message;
  double thought = 0;        // seconds that compiling would take
  double numpy_seconds = 0;  // that NumPy spent on it, about
  int seen = 0, runs = 0;
  bool was_sought = false, is_kept = false;  // on disk, where an earlier run left its code
  Shares shares;
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
