// SPDX-License-Identifier: Apache-2.0
// Checks between the levels of a nest go to its last level (sink_checks.cpp).
#pragma once

#include <unordered_map>
#include <utility>

#include "core/ir/program.h"

namespace skald::passes {

// Conditions that hold where there is nothing to do.
class Emptiness {
 public:
  // All that is bound in the code, at all depths.
  void note(const core::Body& body);
  // Does the condition hold if the width is 0?
  bool holds_without(const core::Operand& condition, const core::Operand& width) const;

 private:
  void note(const core::Stmt& stmt);
  std::unordered_map<core::Name, core::Operand> empty_;  // names of `width <= 0`
  std::unordered_map<core::Name, std::pair<core::Operand, core::Operand>> ors_;
};

// Checks before the SOAC at the end of a map's function go to the last level of its nest.
void sink_checks(core::Soac& map, const Emptiness& outside);  // sink_checks.cpp

}  // namespace skald::passes
