// SPDX-License-Identifier: Apache-2.0
// Plans that were met, and the compiler that makes programs of them.
#pragma once

#include <string>
#include <vector>

#include "common.h"

namespace skald::lazy {
struct EngineApi;
}

namespace skald::python {

enum class Evaluator { kAuto, kNumpy, kCompiled };

struct PlanOptions {
  Evaluator evaluator = Evaluator::kAuto;
  std::string backend = "cpu";
  bool is_cpu = true;      // the back end
  int hot = 0;             // a plan met so often is compiled; 0: when it is worth it
  bool background = true;  // while NumPy goes on
  // What floating-point errors raise or call must happen at the line that makes it.
  bool tells_errors = false;
};
PlanOptions& plan_options();

// Runs the longest row of nodes from `first` on that the compiler can take.  0: there is none, or
// it is not worth it; NumPy must run `count` nodes.  -1: an exception is set.  With `only_loops`
// the count is 0 if there is no loop.
int run_compiled(Node* first, int64_t& count, bool only_loops = false);
// What was seen of the row before may not be true any more.
void forget_row();
// A node failed: this holds for what was noted of all nodes.
void forget_rows();
// Looks at a new node now, while it is in the cache, and not when it is run.
void note_for_rows(Node* node);
// NumPy has run the nodes that run_compiled left to it.
void numpy_has_run();
// The compiler, and the names of operations in the order of their numbers; null if there is none.
const lazy::EngineApi* engine_api();
const std::vector<std::string>& engine_op_names();
// Can it take this operation?
bool node_can_be_compiled(const Node* node);
// Is there a compiler?  Empty, or the reason why not.
const std::string& engine_problem();
// Afterwards the elements are in the host's memory.
bool bring_home(Buffer* buffer);
// Waits until devices have done what they were asked for.
bool finish_devices();
// Frees memory that compiled programs gave back.
void drop_returned();
// The program that the pending nodes would become.
std::string show_pending();
// At the end of the process.  Do threads go on that may be in a compiler?
void stop_compiling(bool others_go_on);
// Plans that could not be compiled, with the reason.
const std::vector<std::string>& compile_failures();

}  // namespace skald::python
