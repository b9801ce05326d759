// SPDX-License-Identifier: Apache-2.0
// What the points of a SOAC or kernel need while they run, and what a device has.
//
//   registers      totals so far, kept from point to point       carried   add up
//                  values that go to sinks or to other members   given     add up, less those
//                  passed whatever else a point has at once             peak      the largest
//                  counts: the
//                                                                          members run in turn
//   group memory   the totals of a group's threads, side by side           adds up
//   code           statements, sinks                                       add up
//
// A cluster that needs more than the largest of its members alone, and more than there is, is not
// made: solvers get a no-good cut, and split it elsewhere.  What a member needs alone is no reason:
// values between two operations that are kept in memory cost more than those that do not fit
// registers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/ir/exp.h"
#include "passes/pass.h"

namespace skald::passes::fusion {

struct Needs {
  size_t carried = 0, given = 0, peak = 0;
  size_t statements = 0, sinks = 0;
  size_t group_bytes = 0;  // for each thread of a group

  // An operator of a reduction or scan.
  void fold(const core::Operator& op);
  size_t registers() const { return carried + given + peak; }
};

// The most scalars that the body has at once, besides those it gives.  Functions of parallel
// operations inside are not looked at.
size_t most_alive(const core::Body& body);

// Adds up what the members of a cluster need.
class Budget {
 public:
  explicit Budget(const Device& device) : device_(device) {}
  void add(const Needs& needs);
  // A member takes a value from another one; `stored`: others need it too.
  void pass(bool stored);
  std::optional<std::string> exceeded() const;

 private:
  const Device& device_;
  Needs all_, largest_;
  size_t registers_ = 0;  // of the largest member
};

}  // namespace skald::passes::fusion
