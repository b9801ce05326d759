// SPDX-License-Identifier: Apache-2.0
// Lifted functions, and calls of them.
//
//   def qs xs = if length xs <= 1 then xs       def qs_lifted (w, starts, data) =
//               else qs lo ++ eq ++ qs hi         …
//                                                 qs_lifted (2 * w', starts of lo and hi, …)
//                                                 …
//
// Calls of one function that do not need each other's results are one call on a batch that is
// several times as wide, so a recursion costs a few launches per level, not per call.  Where a
// thread can run a recursive function, a batch of many small instances is handed to one kernel
// with a thread for each (cut_over.cpp).
//
//   functions.cpp  f on one instance becomes f_lifted on a batch
//   calls.cpp      calls inside a batch
//   host_calls.cpp calls from the host
//   forked.cpp     functions that are not lifted, because their calls run side by side
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "passes/lift/batch/lifting.h"

namespace skald::passes::lift {

class LiftedFunctions {
 public:
  explicit LiftedFunctions(Lifting& lifting) : lifting_(lifting) {}

  // Calls inside a batch that do not need each other's results.
  void run_calls(Batch& b, const std::vector<const core::Stmt*>& calls);
  // A call from the host of a function that calls itself several times, as a batch of one instance:
  // the calls of one level of the recursion run together.  False if it is not lifted.
  bool lift_call(core::Builder& out, const core::Stmt& stmt);
  // Gives a function whose calls stay calls of the host another version for few elements.
  void leave_small_calls_to_a_thread(core::Function& fn);
  // The functions made so far.
  std::vector<core::Function> take() { return std::move(made_); }

 private:
  // False if the function cannot be lifted.
  bool make(const std::string& name);
  core::Function lifted(const core::Function& fn, const core::Body& source);
  void run_group(Batch& b, const std::vector<const core::Stmt*>& group);
  bool reads_device(const std::string& name) const;
  bool is_forked(const std::string& name) const;
  bool is_cut_over(const core::Function& fn) const;
  std::vector<core::Operand> batch_of_one(core::Builder& out, const core::Stmt& stmt);

  Lifting& lifting_;
  enum class State : uint8_t { kActive, kDone, kFailed };
  std::unordered_map<std::string, State> states_;
  std::vector<core::Function> made_;
  std::unordered_set<std::string> forked_;
};

// The results of a function as parameters; unnamed ones get names.
std::vector<core::Param> result_params(Lifting& lifting, const core::Function& fn);

inline std::string lifted_name(const std::string& fn) {
  return fn + "_lifted";
}

}  // namespace skald::passes::lift
