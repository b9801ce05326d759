// SPDX-License-Identifier: Apache-2.0
// Bodies for a batch: what stands together as scalar code is one kernel, calls wait for each other,
// everything else is lifted statement by statement.
#pragma once

#include <unordered_map>
#include <vector>

#include "passes/lift/batch/lifting.h"
#include "passes/lift/calls/lifted_functions.h"

namespace skald::passes::lift {

// One body on its way.
class BodyWalk {
 public:
  BodyWalk(Lifting& lifting, LiftedFunctions& functions, Batch& b, const core::Body& body);

  void run();

 private:
  void process(size_t i);
  // True if all that the statement needs is the same for all instances, and it is computed once.
  bool on_host(size_t i);
  // True if the statement has kernels of its own now.
  bool in_kernels(const core::Stmt& stmt);
  // True if the arrays stay where they are, because the body only gives them joined.
  bool leave_pieces(const core::Stmt& stmt, const core::Concat& concat);
  // The statement runs in one kernel with its neighbours.
  void in_group(size_t i);
  // Scalar code that stands together runs in one kernel, one point per instance.
  void flush();

  Lifting& lifting_;
  LiftedFunctions& functions_;
  Batch& b_;
  const core::Body& body_;
  std::vector<Names> uses_;
  std::unordered_map<core::Name, std::vector<size_t>> users_;
  std::vector<size_t> group_;
};

}  // namespace skald::passes::lift
