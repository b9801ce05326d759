// SPDX-License-Identifier: Apache-2.0
// Which arrays are the same array updated in place.
#pragma once

#include <unordered_map>

#include "core/ir/program.h"

namespace skald::analysis {

// The origin of an array is the array whose place it must share: the target of an update, the
// destination of a histogram, the initial value of a loop that only updates its parameter, what
// both branches of an `if` have in common.  Every other array is its own origin.
class Origins {
 public:
  explicit Origins(const core::Body& body) { visit_body(body); }

  core::Name of(core::Name array) const {
    const auto found = origin_.find(array);
    return found == origin_.end() ? array : found->second;
  }
  // Does every round of the loop leave this parameter where it was?
  bool stays_in_place(core::Name loop_param) const { return in_place_.contains(loop_param); }

 private:
  void visit_body(const core::Body& body);
  void visit_stmt(const core::Stmt& stmt);
  core::Name of_operand(const core::Operand& operand) const;

  std::unordered_map<core::Name, core::Name> origin_;
  std::unordered_set<core::Name> in_place_;
};

}  // namespace skald::analysis
